/**
 * Turns nodes into values and reports their problems. Linear in the text, whatever its aliases.
 */
import { isAlias, isScalar, isSeq, type ParsedNode, type Scalar, type YAMLMap } from 'yaml'
import { floatOf } from '../lang/float.ts'
import { integerDigitsMax, integerIn } from '../lang/integer.ts'
import type { SpecValue } from '../lang/value.ts'
import type { BlockProblem } from './block.ts'
import { type ReadValue, settled, Written } from './written-text.ts'
import { yamlDepthMax } from './yaml-nodes.ts'

/** Limit for nodes that aliases expand to in one block, because walkers visit all of them. */
const aliasNodesMax = 100_000

/** Limit per kind of problem for one case or block. */
const errorsMax = 100
const warningsMax = 20

/** Every other number is a float. */
const integer = /^[-+]?(?:0[xo][\da-fA-F]+|\d+)$/

interface Anchor {
  readonly value: ReadValue
  readonly nodes: number
  readonly height: number
}

/** Reads the nodes of one block in order, because aliases refer back. */
export class ValueReader {
  #problems: BlockProblem[] = []
  #errors = 0
  #warnings = 0
  readonly #anchors = new Map<string, Anchor>()
  #nodes = 0
  #aliasNodes = 0
  #depth = 0
  #deepest = 0
  #hasWritten = false

  /** The value, and the problems found since the last call. */
  read(node: ParsedNode | null): { value: SpecValue; problems: readonly BlockProblem[] } {
    this.#problems = []
    this.#errors = 0
    const value = this.#value(node)
    // Fast path: most blocks write every scalar as it prints.
    return {
      value: this.#hasWritten ? settled(value) : (value as SpecValue),
      problems: this.#problems,
    }
  }

  #value(node: ParsedNode | null): ReadValue {
    this.#nodes++
    if (node === null) return null
    if (isAlias(node)) return this.#aliased(node.source, node.range[0])
    if (node.anchor === undefined) return this.#bare(node)
    const [nodes, deepest] = [this.#nodes, this.#deepest]
    this.#anchors.delete(node.anchor)
    this.#deepest = this.#depth
    const value = this.#bare(node)
    this.#anchors.set(node.anchor, {
      value,
      nodes: this.#nodes - nodes + 1,
      height: this.#deepest - this.#depth,
    })
    this.#deepest = Math.max(deepest, this.#deepest)
    return value
  }

  #bare(node: ParsedNode): ReadValue {
    if (isScalar(node)) return this.#scalar(node, node.range?.[0] ?? 0)
    this.#depth++
    this.#deepest = Math.max(this.#deepest, this.#depth)
    const value = isSeq(node)
      ? node.items.map(item => this.#value(item as ParsedNode))
      : this.#mapping(node as YAMLMap.Parsed)
    this.#depth--
    return value
  }

  #aliased(name: string, offset: number): ReadValue {
    const anchor = this.#anchors.get(name)
    if (!anchor) {
      this.#found(offset, 'yaml.alias', `the alias *${name} has no anchor before it`, {
        hint: `Add the anchor &${name} to an earlier value.`,
      })
      return null
    }
    this.#nodes += anchor.nodes
    this.#aliasNodes += anchor.nodes
    const wasOver = this.#aliasNodes - anchor.nodes > aliasNodesMax
    const isDeep = this.#depth + anchor.height > yamlDepthMax
    this.#deepest = Math.max(this.#deepest, this.#depth + anchor.height)
    if (this.#aliasNodes <= aliasNodesMax && !isDeep) return anchor.value
    if (wasOver && this.#errors > 0) return null
    const limit = isDeep ? `${yamlDepthMax} levels` : `${aliasNodesMax} values`
    this.#found(offset, 'yaml.alias_limit', `aliases expand to more than ${limit} in this block`, {
      hint: 'Use fewer aliases: aliases of aliases multiply.',
    })
    return null
  }

  #mapping(node: YAMLMap.Parsed): ReadValue {
    const map = new Map<string, ReadValue>()
    const merged: ReadValue[] = []
    for (const { key, value } of node.items) {
      const name = this.#key(key)
      if (name === undefined) continue
      const one = this.#value(value)
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') {
        merged.push(...this.#merged(one, key.range[0]))
      } else if (map.has(name)) {
        this.#found(key.range[0], 'yaml.duplicate_key', `duplicate key: ${name}`, {
          hint: 'Remove one of the two.',
        })
      } else {
        map.set(name, one)
      }
    }
    // A mapping's own keys take precedence over merged ones.
    for (const other of merged) {
      for (const [name, one] of other as ReadonlyMap<string, ReadValue>) {
        if (!map.has(name)) map.set(name, one)
      }
    }
    return map
  }

  #merged(value: ReadValue, offset: number): readonly ReadValue[] {
    const values = Array.isArray(value) ? (value as readonly ReadValue[]) : [value]
    if (values.every(one => one instanceof Map)) return values
    this.#found(offset, 'yaml.merge', '<< must refer to a mapping or a list of mappings', {
      hint: 'Refer to a mapping: `<<: *name`.',
    })
    return []
  }

  #key(key: ParsedNode): string | undefined {
    if (isScalar(key) && key.value !== null) {
      this.#nodes++
      this.#warnIfAmbiguous(key, key.range[0])
      return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
    }
    this.#found(key.range[0], 'yaml.key', 'a key must be a scalar', {
      hint: 'Write the key as text.',
    })
    return undefined
  }

  #scalar(node: Scalar, offset: number): ReadValue {
    this.#warnIfAmbiguous(node, offset)
    const { value, source = '' } = node
    if (value === null || typeof value === 'string') return value
    const read = typeof value === 'number' ? this.#number(value, source, offset) : value
    if (source === '' || source === String(read)) return read as SpecValue
    this.#hasWritten = true
    return new Written(read as SpecValue, source)
  }

  #number(value: number, source: string, offset: number): SpecValue {
    const read = integer.test(source) ? integerIn(source) : floatOf(value)
    if (read !== undefined && (typeof read !== 'number' || Number.isFinite(read))) return read
    if (read === undefined) {
      this.#found(offset, 'yaml.number', `an integer has at most ${integerDigitsMax} digits`, {
        hint: 'Write a longer one as text, in quotes.',
      })
    } else this.#found(offset, 'yaml.number', `${source} is not a JSON number`)
    return null
  }

  #warnIfAmbiguous({ type, source }: Scalar, offset: number): void {
    if (type !== 'PLAIN' || source === undefined) return
    const old = yaml11Reading(source)
    if (old === undefined) return
    this.#found(offset, 'yaml.ambiguous', `YAML 1.1 reads ${source} as ${old}, YAML 1.2 does not`, {
      hint: `To write it as text, put it in quotes: "${source}".`,
      severity: 'warning',
    })
  }

  #found(
    offset: number,
    code: string,
    message: string,
    more: Pick<BlockProblem, 'hint' | 'severity'> = {},
  ): void {
    const isReported =
      more.severity === 'warning' ? ++this.#warnings <= warningsMax : ++this.#errors <= errorsMax
    if (isReported) this.#problems.push({ offset, code, message, ...more })
  }
}

/** The YAML 1.1 reading in words; `undefined` if both versions agree. */
export function yaml11Reading(source: string): string | undefined {
  // Fast exit: most words are longer or start differently.
  if (source.length > 40 || !/^[-+.\dnoy]/i.test(source)) return undefined
  return readings.find(([pattern]) => pattern.test(source))?.[1]
}

const readings: readonly (readonly [pattern: RegExp, means: string])[] = [
  [/^(?:yes|Yes|YES|on|On|ON)$/, 'true'],
  [/^(?:no|No|NO|off|Off|OFF)$/, 'false'],
  [/^[-+]?0[0-7_]+$/, 'a number in base 8'],
  [/^0o[0-7]+$/, 'text'],
  [/^[-+]?0b[01_]+$/, 'a number in base 2'],
  [/^[-+]?0x[\da-fA-F_]*_[\da-fA-F_]*$/, 'a number in base 16'],
  [/^[-+]?[1-9]\d*_[\d_]*$/, 'a number'],
  [/^[-+]?\d[\d_]*\.[\d_]*_[\d_]*$/, 'a number'],
  [/^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/, 'a number in base 60'],
  [/^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}.*)?$/, 'a date'],
  // YAML 1.1 requires a dot before an exponent and a sign in it.
  [/^[-+]?(?:\d+[eE][-+]?\d+|(?:\d+\.\d*|\.\d+)[eE]\d+)$/, 'text'],
]
