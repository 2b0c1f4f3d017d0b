/** Finds assertions that cannot fail or repeat each other. */
import { canonicalJson } from '../../canonical.ts'
import { ItemSet } from '../lang/equality.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { isList, isMapping, type SpecValue, toJson } from '../lang/value.ts'
import { groupKinds } from './assert-tree.ts'

export interface HealthFinding {
  readonly code: 'AH001' | 'AH002' | 'AH003' | 'AH004' | 'AH005'
  readonly path: string
  readonly message: string
}

export const healthModes = ['ignore', 'warn', 'error'] as const
export type HealthMode = (typeof healthModes)[number]

const alwaysMatching: ReadonlySet<SpecValue> = new Set(['.*', '^.*$', '\\A.*\\Z'])

/**
 * Pattern features that not every engine supports: lookbehind, named groups, conditionals, inline
 * flags, possessive quantifiers.
 */
const unportable =
  /\(\?<[=!]|\(\?P?<[A-Za-z_]|\(\?P=|\\k<|\(\?\(|\(\?[aiLmsux-]+[):]|\(\?>|(?:[*+?]|\{\d+(?:,\d*)?\})\+/

/** True if a shorthand value is reported as one that cannot fail. */
export const isReported = (op: string, value: SpecValue): boolean =>
  op === 'contain' ? value === '' : op === 'regex' && alwaysMatching.has(value)

/** Does not look inside `evaluate`: the value of an expression is the author's choice. */
export function healthOf(assert: SpecValue | undefined): readonly HealthFinding[] {
  return isList(assert) ? assert.flatMap((node, at) => inNode(node, `assert[${at}]`)) : []
}

function inNode(node: SpecValue, path: string): readonly HealthFinding[] {
  if (isList(node)) return node.flatMap((child, at) => inNode(child, `${path}[${at}]`))
  if (!isMapping(node)) return []
  const kind = groupKinds.find(one => node.has(one))
  const children = kind === undefined ? undefined : node.get(kind)
  if (kind === undefined || !isList(children)) return inLeaf(node, path)
  return [
    ...alike(children, `${path}.${kind}`),
    ...children.flatMap((child, at) => inNode(child, `${path}.${kind}[${at}]`)),
  ]
}

function alike(children: readonly SpecValue[], path: string): readonly HealthFinding[] {
  const texts = children.map(child => canonicalJson(toJson(child)))
  if (new Set(texts).size === texts.length) return []
  return [{ code: 'AH004', path, message: 'two assertions of this group are identical' }]
}

function inLeaf(leaf: ReadonlyMap<string, SpecValue>, path: string): readonly HealthFinding[] {
  const contain = leaf.get('contain')
  const regex = leaf.get('regex')
  return [
    ...(isList(contain) ? inContain(contain, `${path}.contain`) : []),
    ...(isList(regex) ? inRegex(regex, `${path}.regex`) : []),
  ]
}

function inContain(values: readonly SpecValue[], path: string): readonly HealthFinding[] {
  const empty = values.includes('')
    ? [{ code: 'AH001', path, message: 'every text contains the empty text' } as const]
    : []
  return [...empty, ...repeated(values, path)]
}

function inRegex(values: readonly SpecValue[], path: string): readonly HealthFinding[] {
  const always = values.some(value => alwaysMatching.has(value))
    ? [{ code: 'AH002', path, message: 'the pattern matches every text' } as const]
    : []
  const foreign = values.filter(value => typeof value === 'string' && unportable.test(value))
  return [
    ...always,
    ...repeated(values, path),
    ...foreign.map(
      value =>
        ({
          code: 'AH005',
          path,
          message: `not every engine supports the pattern ${JSON.stringify(value)}`,
        }) as const,
    ),
  ]
}

function repeated(values: readonly SpecValue[], path: string): readonly HealthFinding[] {
  const seen = new ItemSet(unlimitedMeter())
  if (values.every(value => seen.add(value))) return []
  return [{ code: 'AH003', path, message: 'the same value is listed twice' }]
}
