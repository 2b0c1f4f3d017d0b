/**
 * Estimates the work that a schema check takes. Schemas come with the evidence, and forty definitions
 * that each refer twice to the next would never end.
 */

/** The most steps of one check. Schemas of real tools take thousands at most. */
const schemaStepsMax = 5_000_000

/** The longest list whose items may be compared with each other. */
const uniqueItemsMax = 2_000

type Node = Readonly<Record<string, unknown>>

/** Keywords whose schemas apply to the members or items of a value. */
const deeper: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
])

/** Keywords that hold schemas for references, or plain data. */
const inert: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'enum',
  'const',
  'default',
  'examples',
])

/** Why the check is refused; `undefined` when it is cheap enough. */
export function tooCostly(schema: unknown, value: unknown): string | undefined {
  const { depth, nodes, longestList } = shapeOf(value)
  if (longestList > uniqueItemsMax && mentions(schema, 'uniqueItems')) {
    return `a list of ${longestList} items is too long to compare each with each`
  }
  const steps = new Estimate(schema).steps(schema, depth) * nodes
  if (steps === Number.POSITIVE_INFINITY)
    return 'the schema of the tool refers to itself without end'
  return steps > schemaStepsMax ? 'the schema of the tool asks for too much work' : undefined
}

class Estimate {
  readonly #root: unknown
  readonly #known = new Map<object, Map<number, number>>()

  constructor(root: unknown) {
    this.#root = root
  }

  /** Schemas applied to one place of a value that has this many levels below it. */
  steps(schema: unknown, depth: number): number {
    if (typeof schema !== 'object' || schema === null || depth < 0) return 0
    const known = this.#known.get(schema) ?? new Map<number, number>()
    this.#known.set(schema, known)
    const before = known.get(depth)
    // A schema that applies itself to the same place again has no end.
    if (before !== undefined) return before
    known.set(depth, Number.POSITIVE_INFINITY)
    const steps = Array.isArray(schema)
      ? this.#sum(schema, depth)
      : 1 + this.#keywords(schema as Node, depth)
    known.set(depth, steps)
    return steps
  }

  #keywords(schema: Node, depth: number): number {
    let steps = 0
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$ref' || keyword === '$dynamicRef')
        steps += this.steps(this.#target(value), depth)
      else if (deeper.has(keyword)) steps += this.#below(keyword, value, depth)
      else if (!inert.has(keyword))
        steps += this.#sum(isMap(keyword) ? Object.values(value ?? {}) : [value], depth)
    }
    return steps
  }

  #below(keyword: string, value: unknown, depth: number): number {
    const named = keyword === 'properties' || keyword === 'patternProperties'
    const schemas =
      named && typeof value === 'object' && value !== null ? Object.values(value) : [value]
    return this.#sum(schemas, depth - 1)
  }

  #sum(schemas: readonly unknown[], depth: number): number {
    return schemas.reduce((sum: number, schema) => sum + this.steps(schema, depth), 0)
  }

  /** The target of a reference within the document. Other references do not compile. */
  #target(ref: unknown): unknown {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
    if (ref === '#') return this.#root
    if (!ref.startsWith('#/')) return anchored(this.#root, ref.slice(1))
    return ref
      .slice(2)
      .split('/')
      .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => (at as Node | undefined)?.[part], this.#root)
  }
}

const isMap = (keyword: string) => keyword === 'dependentSchemas' || keyword === 'dependencies'

function anchored(schema: unknown, name: string): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined
  const node = schema as Node
  if (node['$anchor'] === name || node['$dynamicAnchor'] === name) return schema
  for (const part of Object.values(node)) {
    const found = anchored(part, name)
    if (found !== undefined) return found
  }
  return undefined
}

function mentions(schema: unknown, keyword: string): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, part]) => key === keyword || mentions(part, keyword))
}

interface Shape {
  readonly depth: number
  readonly nodes: number
  readonly longestList: number
}

function shapeOf(value: unknown): Shape {
  if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1, longestList: 0 }
  const parts = Object.values(value)
  let shape: Shape = { depth: 0, nodes: 1, longestList: Array.isArray(value) ? parts.length : 0 }
  for (const part of parts) {
    const inner = shapeOf(part)
    shape = {
      depth: Math.max(shape.depth, inner.depth + 1),
      nodes: shape.nodes + inner.nodes,
      longestList: Math.max(shape.longestList, inner.longestList),
    }
  }
  return shape
}
