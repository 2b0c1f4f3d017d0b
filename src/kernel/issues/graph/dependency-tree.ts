/** Dependencies as a tree. Each issue is unfolded once, so the tree is as large as the graph. */
import type { Dependency, DependencyType } from '../../../wire/issue/issue.ts'
import { blockingTypes, byDependency, type Issue } from '../issue.ts'
import type { IssueMemory } from '../issue-memory.ts'
import { byNaturalId } from '../issue-order.ts'

/** Shallow enough to print by recursion. */
export const treeDepthMax = 100

export interface TreeOptions {
  /** Levels below the roots. */
  readonly depth: number
  /** Dependents instead of dependencies. */
  readonly reverse: boolean
  readonly blockingOnly: boolean
  /** Unfold closed issues too, and begin trees with them. */
  readonly closedToo: boolean
}

/** Why the edges of an issue are not shown below it. */
export type Folded = 'repeated' | 'cycle' | 'closed' | 'depth'

export interface TreeNode {
  readonly id: string
  /** `undefined` when an edge names an issue that does not exist. */
  readonly issue: Issue | undefined
  /** The edge that led here; `undefined` at a root. */
  readonly type: DependencyType | undefined
  readonly folded: Folded | undefined
  /** The number of edges hidden by the fold. */
  readonly foldedCount: number
  readonly children: readonly TreeNode[]
}

interface Forest {
  readonly trees: readonly TreeNode[]
  /** Issues left out because they have no edge. */
  readonly loneCount: number
}

/** The tree of one issue. */
export function dependencyTree(memory: IssueMemory, id: string, options: TreeOptions): TreeNode {
  return new Unfolding(memory, options).root(id)
}

/** A tree for every issue without an incoming edge, and one for each cycle without an entry. */
export function dependencyForest(memory: IssueMemory, options: TreeOptions): Forest {
  const unfolding = new Unfolding(memory, options)
  const shown = memory
    .all()
    .filter(({ status }) => options.closedToo || status !== 'closed')
    .toSorted((a, b) => byNaturalId(a.id, b.id))
  const led = new Set(shown.flatMap(({ id }) => unfolding.edges(id).map(edge => edge.id)))
  const roots = shown.filter(({ id }) => !led.has(id) && unfolding.edges(id).length > 0)
  const trees = roots.map(({ id }) => unfolding.root(id))
  for (const { id } of shown) {
    // An issue below a root but beyond the depth limit gets no tree: the fold already counts it.
    if (led.has(id) && unfolding.edges(id).length > 0 && !unfolding.isLedTo(id)) {
      trees.push(unfolding.root(id))
    }
  }
  const lone = shown.filter(({ id }) => !led.has(id) && unfolding.edges(id).length === 0)
  return { trees, loneCount: lone.length }
}

interface Edge {
  readonly id: string
  readonly type: DependencyType
}

class Unfolding {
  readonly #memory: IssueMemory
  readonly #options: TreeOptions
  readonly #waiting: ReadonlyMap<string, readonly Edge[]> | undefined
  readonly #unfolded = new Set<string>()
  readonly #above = new Set<string>()
  /** Everything reachable from a root. */
  readonly #led = new Set<string>()

  constructor(memory: IssueMemory, options: TreeOptions) {
    this.#memory = memory
    this.#options = options
    this.#waiting = options.reverse ? this.#edgesByTarget() : undefined
  }

  root(id: string): TreeNode {
    this.#markLed(id)
    return this.#node(id, undefined, this.#options.depth)
  }

  isLedTo(id: string): boolean {
    return this.#led.has(id)
  }

  edges(id: string): readonly Edge[] {
    if (this.#waiting) return this.#waiting.get(id) ?? []
    const rows = this.#memory.get(id)?.dependencies ?? []
    return rows
      .filter(this.#isWanted)
      .toSorted((a, b) => byNaturalId(a.depends_on_id, b.depends_on_id) || byDependency(a, b))
      .map(({ depends_on_id, type }) => ({ id: depends_on_id, type }))
  }

  #isWanted = ({ type }: Dependency): boolean =>
    !this.#options.blockingOnly || blockingTypes.has(type)

  #edgesByTarget(): ReadonlyMap<string, readonly Edge[]> {
    const waiting = new Map<string, Edge[]>()
    for (const { id, dependencies } of this.#memory.all()) {
      for (const { depends_on_id, type } of dependencies.filter(this.#isWanted)) {
        const edges = waiting.get(depends_on_id)
        if (edges) edges.push({ id, type })
        else waiting.set(depends_on_id, [{ id, type }])
      }
    }
    for (const edges of waiting.values()) edges.sort((a, b) => byNaturalId(a.id, b.id))
    return waiting
  }

  #node(id: string, type: DependencyType | undefined, depth: number): TreeNode {
    const issue = this.#memory.get(id)
    const edges = this.edges(id)
    const folded = this.#foldOf(id, issue, type === undefined, edges.length, depth)
    if (folded) return { id, issue, type, folded, foldedCount: edges.length, children: [] }
    this.#unfolded.add(id)
    this.#above.add(id)
    const children = edges.map(edge => this.#node(edge.id, edge.type, depth - 1))
    this.#above.delete(id)
    return { id, issue, type, folded, foldedCount: 0, children }
  }

  #foldOf(
    id: string,
    issue: Issue | undefined,
    isRoot: boolean,
    edgeCount: number,
    depth: number,
  ): Folded | undefined {
    if (this.#above.has(id)) return 'cycle'
    if (this.#unfolded.has(id)) return 'repeated'
    if (edgeCount === 0) return undefined
    if (!isRoot && !this.#options.closedToo && issue?.status === 'closed') return 'closed'
    return depth === 0 ? 'depth' : undefined
  }

  #markLed(id: string): void {
    const ahead = [id]
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      if (this.#led.has(next)) continue
      this.#led.add(next)
      const closed = this.#memory.get(next)?.status === 'closed'
      if (closed && next !== id && !this.#options.closedToo) continue
      for (const edge of this.edges(next)) ahead.push(edge.id)
    }
  }
}
