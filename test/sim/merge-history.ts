/** A random history of five clones. */
import { printIssue } from '../../src/kernel/issues/issue.ts'
import {
  ancestors,
  baseOf,
  type Commit,
  commitsToRebase,
  drive,
  type Lines,
  lastRows,
  mergeFiles,
  textOf,
} from './commit-graph.ts'
import { Clone, seenRows } from './merge-clone.ts'
import { type Fact, Oracle } from './merge-oracle.ts'
import { seeded } from './seeded.ts'

export const stepsMax = 16

/** Runs the history. Returns the first law that broke, with the story so far. */
export function runHistory(seed: number, steps = stepsMax): string | undefined {
  const history = new History(seed)
  for (let step = 0; step < steps; step++) {
    const broken = history.step()
    if (broken) return broken
  }
  return history.end()
}

class History {
  readonly #chance: () => number
  readonly #oracle = new Oracle()
  readonly #clones: readonly Clone[]
  readonly #story: string[] = []
  #now = 1_790_000_000_000_000_000n

  constructor(seed: number) {
    this.#chance = seeded(seed)
    const root: Commit = { parents: [], lines: [], facts: new Set() }
    const first = new Clone('base', root, this.#oracle)
    for (let at = 0; at < 4; at++) first.edit(() => 0, this.#tick())
    first.commit()
    const names = ['ann', 'bob', 'cyd', 'dan', 'eve']
    this.#clones = names.map(name => new Clone(name, first.head, this.#oracle))
  }

  /** No two changes have one time, and a clone's clock is its own. */
  #tick(at = 0): bigint {
    this.#now += 7_000_000_001n
    return this.#now + BigInt(at) * 3_000_000_000n
  }

  #among<T>(list: readonly T[]): T {
    return list[Math.floor(this.#chance() * list.length)] as T
  }

  step(): string | undefined {
    const clone = this.#among(this.#clones)
    const other = this.#among(this.#clones.filter(one => one !== clone))
    const at = this.#clones.indexOf(clone)
    for (let edits = Math.floor(this.#chance() * 4); edits > 0; edits--) {
      this.#story.push(`${clone.name}: ${clone.edit(this.#chance, this.#tick(at))}`)
    }
    const hasStash = this.#chance() < 0.2
    const stashed = clone.lines
    const parent = clone.head
    if (!hasStash) clone.commit()
    const named = this.#among(operations)
    this.#story.push(`${clone.name}: ${named} ${other.name}${hasStash ? ', stashed' : ''}`)
    if (hasStash) clone.take(parent)
    const said = this.#run(named, clone, other)
    if (hasStash) clone.take(clone.head, mergeFiles(parent.lines, clone.lines, stashed))
    return said ?? this.#verdict(clone)
  }

  #verdict(clone: Clone): string | undefined {
    const broken = clone.broken()
    return broken.length === 0 ? undefined : this.#tell(`${clone.name} lost ${broken.join(' ')}`)
  }

  #tell(what: string): string {
    return [...this.#story, what].join('\n')
  }

  #run(named: (typeof operations)[number], clone: Clone, other: Clone): string | undefined {
    switch (named) {
      case 'merge':
        return this.#merge(clone, [other])
      case 'octopus':
        return this.#merge(clone, [other, this.#among(this.#clones)])
      case 'squash': {
        const lines = mergeFiles(baseOf(clone.head, other.head), clone.lines, other.head.lines)
        clone.take(commitOf([clone.head], lines, [clone.head, other.head]))
        return undefined
      }
      case 'rebase':
        this.#rebase(clone, other.head, mergeFiles)
        return undefined
      case 'rebase by patches':
        this.#rebase(clone, other.head, (base, ours, theirs) => this.#patch(base, ours, theirs))
        return undefined
      case 'cherry-pick': {
        const commits = commitsToRebase(other.head, clone.head)
        if (commits.length > 0) this.#pick(clone, this.#among(commits))
        return undefined
      }
      case 'merge without a driver':
        this.#mergeByHand(clone, other)
        return undefined
      default:
        return undefined
    }
  }

  #merge(clone: Clone, others: readonly Pick<Clone, 'head'>[]): string | undefined {
    let { lines } = clone.head
    const heads = [clone.head]
    for (const { head } of others) {
      const known = commitOf(heads, lines, heads)
      if (ancestors(known).has(head)) continue
      if (ancestors(head).has(clone.head) && heads.length === 1) {
        clone.take(head)
        return undefined
      }
      const base = baseOf(known, head)
      const merged = mergeFiles(base, lines, head.lines)
      const broken = this.#lawsOf(base, lines, head.lines, merged)
      if (broken) return this.#tell(broken)
      lines = merged
      heads.push(head)
    }
    if (heads.length > 1) clone.take(commitOf(heads, lines, heads))
    return undefined
  }

  /** It does not matter whose side is ours, and to merge once more changes nothing. */
  #lawsOf(base: Lines, ours: Lines, theirs: Lines, merged: Lines): string | undefined {
    const last = (lines: Lines) =>
      [...lastRows(lines).values()].map(printIssue).toSorted().join('\n')
    const [one, other] = [drive(base, ours, theirs).rows, drive(base, theirs, ours).rows]
    if (last(one) !== last(other)) {
      return `the merge depends on whose side is ours:\n${difference(one, other)}`
    }
    // git would take the side without a driver, and the mark would bring back what it lacks. After a
    // merge by hand, the base of git has rows that one side never knew.
    if (textOf(merged) === textOf(base) || this.#oracle.isByHand) return undefined
    const held = (lines: Lines) =>
      seenRows(lines).map(({ id, description, status, fence, comments }) =>
        JSON.stringify([id, description, status, fence, comments]),
      )
    for (const side of [ours, theirs]) {
      // As a squash does, which leaves git the old base.
      const again = mergeFiles(base, merged, side)
      if (held(again).toSorted().join('\n') !== held(merged).toSorted().join('\n')) {
        return `to merge once more changes the rows:\n${difference(merged, again)}`
      }
    }
    return undefined
  }

  #rebase(clone: Clone, upstream: Commit, apply: typeof mergeFiles): void {
    if (ancestors(clone.head).has(upstream)) return
    const commits = commitsToRebase(clone.head, upstream)
    let head = upstream
    for (const commit of commits) {
      const [base] = commit.parents
      const lines = apply(base?.lines ?? [], head.lines, commit.lines)
      const facts = new Set([...head.facts, ...this.#newFacts(commit)])
      head = { parents: [head], lines, facts }
    }
    clone.take(head)
  }

  /** git appends the rows of a patch after the lines that it knows, and asks no driver. */
  #patch(base: Lines, ours: Lines, theirs: Lines): Lines {
    const isAppended = base.every((row, at) => row === theirs[at])
    const context = [base, ours].map(lines => textOf(lines.slice(-patchContext)))
    if (!isAppended || context[0] !== context[1]) return mergeFiles(base, ours, theirs)
    const rows = theirs.slice(base.length)
    return [...ours, ...rows]
  }

  /** The facts that the rows of the commit have, and those of its parent lack. */
  #newFacts({ facts, parents }: Commit): readonly string[] {
    const [parent] = parents
    if (!parent) return [...facts]
    const noted = new Set([...facts].filter(fact => !parent.facts.has(fact)))
    // After a merge by hand, the parent can have rows without their facts.
    return this.#oracle.broken(seenRows(parent.lines), noted).filter(fact => noted.has(fact))
  }

  #pick(clone: Clone, commit: Commit): void {
    const [base] = commit.parents
    if (!base) return
    const lines = mergeFiles(base.lines, clone.head.lines, commit.lines)
    const facts = new Set([...clone.head.facts, ...this.#newFacts(commit)])
    clone.take({ parents: [clone.head], lines, facts })
  }

  /** A person takes one side, or the lines of both, and gives up the edges that either knew. */
  #mergeByHand(clone: Clone, { head }: Clone): void {
    if (ancestors(clone.head).has(head)) return
    if (ancestors(head).has(clone.head)) {
      clone.take(head)
      return
    }
    const mine = clone.head
    const base = baseOf(mine, head)
    if ([mine.lines, head.lines].some(lines => textOf(lines) === textOf(base))) {
      this.#merge(clone, [{ head }])
      return
    }
    const text = new Set(mine.lines.map(printIssue))
    const both = [...mine.lines, ...head.lines.filter(row => !text.has(printIssue(row)))]
    const choices = [mine.lines, head.lines, both, undefined]
    const lines = this.#among(choices)
    if (!lines) return
    this.#oracle.isByHand = true
    for (const commit of [...ancestors(mine), ...ancestors(head), clone]) {
      for (const fact of edgesOf(commit.lines)) this.#oracle.end(fact)
    }
    // The facts of the other side come together with its rows, later.
    clone.take(commitOf([mine, head], lines, lines === head.lines ? [head, mine] : [mine]))
  }

  /** All merge all, at once and then one after the other, until their rows are equal. */
  end(): string | undefined {
    for (const clone of this.#clones) clone.commit()
    for (let round = 1; round <= 5; round++) {
      const heads = this.#clones.map(({ head }) => head)
      for (const clone of this.#clones) {
        const others = round === 1 ? heads : this.#clones.map(({ head }) => head)
        this.#story.push(`${clone.name}: merge all, round ${round}`)
        for (const head of others) {
          const broken = this.#merge(clone, [{ head }]) ?? this.#verdict(clone)
          if (broken) return broken
        }
      }
      if (this.#isEqual()) return this.#allHold()
    }
    const [one = [], ...others] = this.#clones.map(({ lines }) => lines)
    const differing = others.map(lines => difference(one, lines)).join('\n')
    return this.#tell(`the clones do not converge:\n${differing}`)
  }

  #isEqual(): boolean {
    const texts = this.#clones.map(({ lines }) =>
      [...lastRows(lines).values()].map(printIssue).toSorted().join('\n'),
    )
    return new Set(texts).size === 1
  }

  /** Nothing that any clone acknowledged is lost once the rows came together. */
  #allHold(): string | undefined {
    const facts = new Set(this.#clones.flatMap(clone => [...clone.facts]))
    for (const { name, lines } of this.#clones) {
      const broken = this.#oracle.broken(seenRows(lines), facts)
      if (broken.length > 0) return this.#tell(`${name} lacks ${broken.join(' ')} at the end`)
    }
    return undefined
  }
}

const operations = [
  'merge',
  'merge',
  'octopus',
  'squash',
  'rebase',
  'rebase by patches',
  'cherry-pick',
  'merge without a driver',
  'nothing',
] as const

const patchContext = 3

/** The edges of the rows, each also with the issues that had the id of its target before. */
function* edgesOf(lines: Lines): Iterable<Fact> {
  for (const { description: name, dependencies } of lines) {
    for (const { depends_on_id, type } of dependencies) {
      for (const { id, description: to } of lines) {
        if (id === depends_on_id) yield { is: 'edge', name, to, type }
      }
    }
  }
}

const commitOf = (parents: readonly Commit[], lines: Lines, known: readonly Commit[]): Commit => ({
  parents,
  lines,
  facts: new Set(known.flatMap(({ facts }) => [...facts])),
})

/** The rows that only one of both has. */
function difference(one: Lines, other: Lines): string {
  const [left, right] = [one, other].map(
    lines => new Set([...lastRows(lines).values()].map(printIssue)),
  )
  return [
    ...[...(left ?? [])].filter(row => !right?.has(row)).map(row => `- ${row}`),
    ...[...(right ?? [])].filter(row => !left?.has(row)).map(row => `+ ${row}`),
  ].join('\n')
}
