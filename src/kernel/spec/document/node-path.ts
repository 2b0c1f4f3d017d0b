/** Finds the node at a path such as `assert[0].must[1]`. */
import { isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode } from 'yaml'

interface Found {
  /** Offset of the value. */
  readonly value: number
  /** Offset of its key; the value's offset if it has none. */
  readonly key: number
}

/** Offsets of the node at the path, or of its nearest existing ancestor. */
export function findByPath(root: ParsedNode, path: string, anchors: Anchors): Found {
  let node: ParsedNode | null = root
  let found: Found = { value: root.range[0], key: root.range[0] }
  let rest = path
  while (rest !== '' && node !== null) {
    const target: ParsedNode | null = isAlias(node) ? anchors(node.source) : node
    const step: Step | undefined = isSeq(target)
      ? itemStep(target.items as ParsedNode[], rest)
      : isMap(target)
        ? keyStep(target.items, rest)
        : undefined
    if (!step) break
    node = step.node
    rest = rest.slice(step.length).replace(/^\./, '')
    found = { key: step.at, value: node?.range[0] ?? step.at }
  }
  return found
}

/** The node exactly at the path; `undefined` if the path leads through an alias. */
export function nodeByPath(root: ParsedNode, path: string): ParsedNode | undefined {
  let node: ParsedNode | null = root
  let rest = path
  while (rest !== '') {
    const step: Step | undefined = isSeq(node)
      ? itemStep(node.items as ParsedNode[], rest)
      : isMap(node)
        ? keyStep(node.items, rest)
        : undefined
    if (!step) return undefined
    node = step.node
    rest = rest.slice(step.length).replace(/^\./, '')
  }
  return node ?? undefined
}

/** The last node with this anchor. */
export type Anchors = (name: string) => ParsedNode | null

interface Step {
  readonly node: ParsedNode | null
  readonly at: number
  /** Characters of the path consumed. */
  readonly length: number
}

function itemStep(items: readonly ParsedNode[], path: string): Step | undefined {
  const index = /^\[(\d{1,9})\]/.exec(path)
  const node = items[Number(index?.[1])]
  return index && node ? { node, at: node.range[0], length: index[0].length } : undefined
}

/** A key may contain dots (`std.string.contains`): the longest match wins. */
function keyStep(items: readonly unknown[], path: string): Step | undefined {
  let best: Step | undefined
  for (const pair of items) {
    if (!isPair<ParsedNode, ParsedNode | null>(pair) || !isScalar(pair.key)) continue
    const name = keyName(pair.key)
    if (name.length <= (best?.length ?? -1) || !path.startsWith(name)) continue
    if (path.length > name.length && !'.['.includes(path.charAt(name.length))) continue
    best = { node: pair.value, at: pair.key.range?.[0] ?? 0, length: name.length }
  }
  return best
}

const keyName = ({ value, source }: { value: unknown; source?: string }) =>
  typeof value === 'string' ? value : (source ?? String(value))
