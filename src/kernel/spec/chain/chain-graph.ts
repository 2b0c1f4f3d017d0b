/**
 * Resolves chains over all documents before anything runs. Cycles are detected here, so that a step
 * that may fail cannot hide one.
 */
import { nearest } from '../../text/nearest.ts'
import { type ContractPath, folderOf, pathFrom } from '../contract-path.ts'
import type { Problem, RawCase } from '../document/raw-case.ts'
import { type ChainStep, chainOf } from './chain.ts'

/** A document with its contract root. */
export interface PlacedDocument {
  /** The folder on disk that `/` stands for. */
  readonly root: string
  readonly path: ContractPath
  readonly cases: readonly RawCase[]
}

interface PlannedStep {
  readonly step: ChainStep
  /** In the order they run. */
  readonly cases: readonly RawCase[]
}

export interface ChainGraph {
  /** Problems that prevent the chain of a case from running. */
  problemsOf(raw: RawCase): readonly Problem[]
  stepsOf(raw: RawCase): readonly PlannedStep[]
  /** All prerequisites of the case, each once, in the order they run. */
  prerequisitesOf(raw: RawCase): readonly RawCase[]
}

interface GraphOptions {
  /** A library is read, never run. */
  isExecutable(raw: RawCase): boolean
}

/** Documents named by chains that are not among the given ones. */
export function missingDocuments(
  documents: readonly PlacedDocument[],
): readonly Pick<PlacedDocument, 'root' | 'path'>[] {
  const known = new Set(documents.map(keyOf))
  const missing = new Map<string, Pick<PlacedDocument, 'root' | 'path'>>()
  for (const document of documents) {
    for (const step of document.cases.flatMap(raw => chainOf(raw)?.steps ?? [])) {
      const target = targetOf(step, document)
      if ('refused' in target || known.has(keyOf(target))) continue
      missing.set(keyOf(target), target)
    }
  }
  return [...missing.values()]
}

const keyOf = ({ root, path }: Pick<PlacedDocument, 'root' | 'path'>) =>
  `${root.replace(/\/$/, '')}${path}`

function targetOf({ ref }: ChainStep, { root, path }: PlacedDocument) {
  if (ref.path === undefined) return { root, path }
  const target = pathFrom(folderOf(path), ref.path)
  return 'refused' in target ? target : { root, path: target.path }
}

export function chainGraph(
  documents: readonly PlacedDocument[],
  { isExecutable }: GraphOptions,
): ChainGraph {
  const byKey = new Map(documents.map(document => [keyOf(document), indexed(document)]))
  const steps = new Map<RawCase, readonly PlannedStep[]>()
  const problems = new Map<RawCase, Problem[]>()
  for (const document of documents) {
    for (const raw of document.cases) {
      const planned: PlannedStep[] = []
      for (const step of chainOf(raw)?.steps ?? []) {
        const found = casesOf(step, document, byKey, isExecutable)
        if ('refused' in found) add(problems, raw, refProblem(raw, step, found))
        else planned.push({ step, cases: found.cases })
      }
      steps.set(raw, planned)
    }
  }
  const edges = (raw: RawCase) => (steps.get(raw) ?? []).flatMap(({ cases }) => cases)
  const endless = endlessCases([...steps.keys()], edges)
  for (const raw of endless.keys()) {
    add(problems, raw, circleProblem(raw, wayOf(raw, endless), steps.get(raw) ?? []))
  }
  return {
    problemsOf: raw => problems.get(raw) ?? [],
    stepsOf: raw => steps.get(raw) ?? [],
    prerequisitesOf: raw => before(raw, edges),
  }
}

function add(problems: Map<RawCase, Problem[]>, raw: RawCase, problem: Problem): void {
  const known = problems.get(raw)
  if (known) known.push(problem)
  else problems.set(raw, [problem])
}

interface IndexedDocument extends PlacedDocument {
  /** Several cases if an id is duplicated. */
  readonly byId: ReadonlyMap<string, readonly RawCase[]>
}

function indexed(document: PlacedDocument): IndexedDocument {
  const byId = new Map<string, RawCase[]>()
  for (const raw of document.cases) {
    const known = byId.get(raw.id)
    if (known) known.push(raw)
    else byId.set(raw.id, [raw])
  }
  return { ...document, byId }
}

interface Unresolved {
  readonly refused: string
  readonly hint?: string
}

function casesOf(
  step: ChainStep,
  document: PlacedDocument,
  byKey: ReadonlyMap<string, IndexedDocument>,
  isExecutable: (raw: RawCase) => boolean,
): { readonly cases: readonly RawCase[] } | Unresolved {
  const target = targetOf(step, document)
  if ('refused' in target) return target
  const found = byKey.get(keyOf(target))
  if (!found) {
    const hint =
      'Use a path relative to this document, or one that starts with / for the contract root.'
    return { refused: `names ${target.path}, which does not exist`, hint }
  }
  const { caseId } = step.ref
  if (caseId === undefined) {
    const cases = found.cases.filter(isExecutable)
    return cases.length > 0
      ? { cases }
      : { refused: `names ${target.path}, which has no executable case` }
  }
  const matching = found.byId.get(caseId) ?? []
  const [one] = matching
  if (!one) return noSuchCase(caseId, found)
  if (matching.length > 1) {
    return { refused: `names ${caseId}, which occurs ${matching.length} times in ${found.path}` }
  }
  return isExecutable(one)
    ? { cases: [one] }
    : { refused: `names ${caseId}, which is a ${one.type} and cannot run` }
}

function noSuchCase(caseId: string, { path, cases }: PlacedDocument): Unresolved {
  const ids = cases.map(({ id }) => id)
  const meant = nearest(caseId, ids)
  return {
    refused: `names ${caseId}, which is not a case of ${path}`,
    hint: meant === undefined ? 'Run premath spec list to see its ids.' : `Did you mean ${meant}?`,
  }
}

const refProblem = (raw: RawCase, step: ChainStep, { refused, hint }: Unresolved): Problem => ({
  place: raw.placeOf(`${step.at}.ref`),
  code: 'chain.ref',
  message: `${step.at}.ref ${refused}`,
  ...(hint !== undefined && { hint }),
})

/** A longer cycle is cut in messages. */
const circleCasesMax = 12

/** The path from the case into the cycle and once around it. */
function wayOf(raw: RawCase, endless: ReadonlyMap<RawCase, RawCase>): readonly RawCase[] {
  const way = [raw]
  for (
    let next = endless.get(raw);
    next && way.length <= circleCasesMax;
    next = endless.get(next)
  ) {
    const isAround = way.includes(next)
    way.push(next)
    if (isAround) break
  }
  return way
}

function circleProblem(
  raw: RawCase,
  way: readonly RawCase[],
  steps: readonly PlannedStep[],
): Problem {
  const through = steps.find(({ cases }) => cases.some(one => one === way[1]))
  const names = way.map(({ file, id }) => `${file}#${id}`)
  const leads = `${names.slice(0, circleCasesMax).join(' → ')}${names.length > circleCasesMax ? ' → …' : ''}`
  const fact = way[1] === raw ? `the chain of ${raw.id} runs itself` : 'the chain is a cycle'
  return {
    place: raw.placeOf(through ? `${through.step.at}.ref` : 'harness.chain'),
    code: 'chain.cycle',
    message: `${fact}: ${leads}`,
    hint: 'Remove one of these steps.',
  }
}

interface Visit {
  readonly raw: RawCase
  readonly targets: readonly RawCase[]
  next: number
}

/**
 * Maps every case whose chain never ends to its successor. Iterative, because chains can be long.
 */
function endlessCases(
  all: readonly RawCase[],
  edges: (raw: RawCase) => readonly RawCase[],
): ReadonlyMap<RawCase, RawCase> {
  const endless = new Map<RawCase, RawCase>()
  const seen = new Set<RawCase>()
  for (const start of all) {
    if (seen.has(start)) continue
    const walk: Visit[] = []
    const open = new Map<RawCase, number>()
    const enter = (raw: RawCase) => {
      seen.add(raw)
      open.set(raw, walk.length)
      walk.push({ raw, targets: edges(raw), next: 0 })
    }
    enter(start)
    for (let visit = walk.at(-1); visit; visit = walk.at(-1)) {
      const target = visit.targets[visit.next++]
      if (target === undefined) {
        const broken = visit.targets.find(one => endless.has(one))
        if (broken && !endless.has(visit.raw)) endless.set(visit.raw, broken)
        open.delete(visit.raw)
        walk.pop()
      } else if (!seen.has(target)) {
        enter(target)
      } else {
        markCircle(walk, open.get(target), endless)
      }
    }
  }
  return endless
}

/** Marks the cycle that the walk returned to, if it returned. */
function markCircle(
  walk: readonly Visit[],
  from: number | undefined,
  endless: Map<RawCase, RawCase>,
): void {
  if (from === undefined) return
  const members = walk.slice(from).map(({ raw }) => raw)
  for (const [index, raw] of members.entries()) {
    const next = members[index + 1] ?? members[0]
    if (next && !endless.has(raw)) endless.set(raw, next)
  }
}

function before(raw: RawCase, edges: (raw: RawCase) => readonly RawCase[]): readonly RawCase[] {
  const ordered: RawCase[] = []
  const seen = new Set<RawCase>([raw])
  const walk: Visit[] = [{ raw, targets: edges(raw), next: 0 }]
  for (let visit = walk.at(-1); visit; visit = walk.at(-1)) {
    const target = visit.targets[visit.next++]
    if (target === undefined) {
      walk.pop()
      if (visit.raw !== raw) ordered.push(visit.raw)
    } else if (!seen.has(target)) {
      seen.add(target)
      walk.push({ raw: target, targets: edges(target), next: 0 })
    }
  }
  return ordered
}
