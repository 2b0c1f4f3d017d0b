/** Runs cases and accepts the new output of failing ones. */
import { Fault } from '../fault.ts'
import type { InputOf } from '../field.ts'
import { readVariables } from '../input/spec-variables.ts'
import type { Subject } from '../kernel/spec/assert/subject.ts'
import { type Accepted, acceptedOutput } from '../kernel/spec/author/accepted-output.ts'
import { type CaseEdits, whyNotEdited, withScalars } from '../kernel/spec/author/edit-scalars.ts'
import { isMeantToFail } from '../kernel/spec/case/expect.ts'
import { isError, type Problem, type RawCase } from '../kernel/spec/document/raw-case.ts'
import { hiddenIn } from '../kernel/spec/lang/hidden-value.ts'
import type { Secrets } from '../kernel/text/secrets.ts'
import { unifiedDiff } from '../kernel/text/text-diff.ts'
import type { OperationContext } from '../project/context.ts'
import type { ProjectSeeker } from '../project/open.ts'
import { type UnwrittenDocument, writeOrReport } from '../project/specs/document-file.ts'
import { chosen, ownOffer, runSpecs } from '../project/specs/outcomes.ts'
import { readSpecs, type SpecInput, specsOf } from '../project/specs/spec-input.ts'
import { below } from '../runner/contract-roots.ts'
import { type LoadedDocument, loadDocuments } from '../runner/load-documents.ts'
import type { Observer } from '../runner/observation.ts'
import type { PlannedOutcome } from '../runner/run-plan.ts'
import type { specUpdate } from './spec/update.ts'

export interface UpdateReport {
  readonly action: 'spec.update'
  readonly result: 'accepted' | 'rejected'
  readonly cases: number
  readonly failed: number
  readonly updated: readonly CaseName[]
  readonly documents: readonly UpdatedDocument[]
  /** Failed cases that stay unchanged. */
  readonly refused: readonly (CaseName & { readonly why: readonly string[] })[]
}

interface CaseName {
  readonly id: string
  readonly file: string
  readonly line: number
}

export interface UpdatedDocument {
  readonly file: string
  readonly diff: string
  /** Only shown, written, restored because a case still failed, or not writable. */
  readonly state: 'shown' | 'written' | 'put_back' | 'left'
}

type Variables = ReadonlyMap<string, string>

type UpdateInput = InputOf<(typeof specUpdate)['input']>

interface Updated {
  readonly report: UpdateReport
  readonly problems: readonly Problem[]
  readonly left: readonly UnwrittenDocument[]
}

export async function updateSpecs(input: UpdateInput, context: ProjectSeeker): Promise<Updated> {
  const variables = readVariables(input, context)
  const specs = await readSpecs(input, context)
  const cases = chosen(specs, { filter: input.filter, tag: [] })
  const { failed, accepted } = await runAccepting(cases, { specs, variables }, context)
  const plans = failed.map(one =>
    planOf(one, accepted.get(one.raw), documentOf(one.raw, specs), context),
  )
  const good = plans.filter(({ why }) => why.length === 0)
  const updates = updatesOf(good, specs)
  const isWriting = input.yes && !input.check
  const documents: UpdatedDocument[] = []
  const broken: Pick<Plan, 'raw' | 'why'>[] = []
  const left: UnwrittenDocument[] = []
  for (const update of updates) {
    const { state, diff, failing, fault } = isWriting
      ? await writtenAsFar(update, variables, context)
      : shownOnly(update)
    const why = [fault?.fault.message ?? putBackWhy]
    broken.push(...failing.map(({ raw }) => ({ raw, why })))
    documents.push({ file: update.document.file, diff, state })
    if (fault !== undefined) left.push(fault)
  }
  const refused = [...plans.filter(({ why }) => why.length > 0), ...broken]
  const report: UpdateReport = {
    action: 'spec.update',
    result: failed.length === 0 || (isWriting && refused.length === 0) ? 'accepted' : 'rejected',
    cases: cases.length,
    failed: failed.length,
    updated: isWriting
      ? good.flatMap(({ raw }) => (broken.some(one => one.raw === raw) ? [] : [nameOf(raw)]))
      : [],
    documents,
    refused: refused.map(({ raw, why }) => ({ ...nameOf(raw), why })),
  }
  return { report, problems: specs.documentProblems.filter(isError), left }
}

const nameOf = ({ id, file, line }: RawCase): CaseName => ({ id, file, line })

const putBackWhy =
  'it also fails with its new output, which was reverted: its output changes in every run'

/** The failed cases with the values each needs. */
async function runAccepting(
  cases: readonly RawCase[],
  { specs, variables }: { readonly specs: SpecInput; readonly variables: Variables },
  context: OperationContext,
): Promise<{
  readonly failed: readonly PlannedOutcome[]
  readonly accepted: ReadonlyMap<RawCase, Accepted>
}> {
  const accepted = new Map<RawCase, Accepted>()
  const observer: Observer = async (raw, { root, demands, subjectOf, failureOf, test }) => {
    const subjects = new Map<string, Subject>()
    for (const target of root.subjects) subjects.set(target, await subjectOf(target))
    const has = (key: string) => raw.value.has(key)
    accepted.set(raw, acceptedOutput({ root, demands, subjects, failureOf, test, has }))
  }
  const base = { cases, offer: ownOffer, jobs: undefined, failFast: false }
  const request = { ...base, observer, variables }
  const { outcomes } = await runSpecs(specs, request, context)
  return { failed: outcomes.filter(({ outcome }) => outcome?.status === 'fail'), accepted }
}

interface Plan extends CaseEdits {
  /** Why it is not applied; empty if it is. */
  readonly why: readonly string[]
}

/** All edits of a case or none: one wrong literal fails it anyway. */
function planOf(
  { raw, outcome }: PlannedOutcome,
  accepted: Accepted | undefined,
  { text, file }: LoadedDocument,
  { secrets }: { readonly secrets: Secrets },
): Plan {
  if (accepted === undefined) return { raw, edits: [], why: [outcome?.failure?.message ?? ''] }
  if (isMeantToFail(raw, ownOffer.implementation)) return { raw, edits: [], why: [meantToFail] }
  const { edits, refused } = accepted
  const failure = outcome?.failure?.message ?? 'it fails'
  if (refused.length > 0 || edits.length === 0) {
    return { raw, edits, why: refused.length > 0 ? refused : [failure] }
  }
  if (edits.some(({ value }) => hiddenIn(value, secrets) !== value)) {
    return { raw, edits, why: [secretOutput] }
  }
  const why = whyNotEdited(text, file, { raw, edits })
  return { raw, edits, why: why === undefined ? [] : [why] }
}

const secretOutput = 'its new output contains a secret, which must not stand in a document'

const meantToFail = 'it expects to fail, and other values would make it pass'

function documentOf(raw: RawCase, { documents }: SpecInput): LoadedDocument {
  const document = documents.find(({ cases }) => cases.includes(raw))
  if (document === undefined) throw new Error(`${raw.id} belongs to no document of this run`)
  return document
}

interface Update {
  readonly document: LoadedDocument
  readonly after: string
  readonly diff: string
  readonly cases: readonly CaseEdits[]
}

function updatesOf(plans: readonly CaseEdits[], specs: SpecInput): readonly Update[] {
  return specs.documents.flatMap(document => {
    const cases = plans.filter(({ raw }) => document.cases.includes(raw))
    return cases.length === 0 ? [] : [updateOf(document, cases)]
  })
}

function updateOf(document: LoadedDocument, cases: readonly CaseEdits[]): Update {
  const { text, file } = document
  const after = withScalars(text, file, cases)
  return { document, after, diff: unifiedDiff(text, after, file), cases }
}

interface FarAsWritten {
  readonly state: UpdatedDocument['state']
  readonly diff: string
  /** Cases that stay unchanged. */
  readonly failing: readonly CaseEdits[]
  readonly fault?: UnwrittenDocument
}

const shownOnly = ({ diff }: Update): FarAsWritten => ({ state: 'shown', diff, failing: [] })

/** Leaves out cases that still fail, so that an unstable case does not block others. */
async function writtenAsFar(
  first: Update,
  variables: Variables,
  context: OperationContext,
): Promise<FarAsWritten> {
  const failing: CaseEdits[] = []
  for (let update = first; ; ) {
    const { still, fault, isKept } = await written(update, variables, context)
    const { diff } = update
    if (fault !== undefined && !isKept) return { state: 'left', diff, failing: first.cases, fault }
    failing.push(...still)
    if (fault !== undefined) return { state: 'written', diff, failing, fault }
    if (still.length === 0) return { state: 'written', diff, failing }
    const others = update.cases.filter(one => !still.includes(one))
    if (others.length === 0) return { state: 'put_back', diff, failing }
    update = updateOf(update.document, others)
  }
}

interface Written {
  /** Cases that still fail. */
  readonly still: readonly CaseEdits[]
  readonly fault?: UnwrittenDocument | undefined
  /** It was written and could not be restored. */
  readonly isKept?: boolean
}

/** Writes the document, runs its cases again, and returns those that still fail. */
async function written(
  { document, after, cases }: Update,
  variables: Variables,
  context: OperationContext,
): Promise<Written> {
  const { root, path, file, text: before } = document
  const place = { path: below(root, path), file }
  const [left] = await writeOrReport({ ...place, before, after }, context)
  if (left !== undefined) return { still: cases, fault: left }
  const documents = await loadDocuments([place.path], root, context)
  const specs = await specsOf({ documents, problems: [] }, context)
  const ids = new Set(cases.map(({ raw }) => raw.id))
  const again = specs.cases.filter(({ id }) => ids.has(id))
  const request = { cases: again, offer: ownOffer, jobs: undefined, failFast: false }
  const { outcomes } = await runSpecs(specs, { ...request, variables }, context)
  const passed = outcomes.filter(({ outcome }) => outcome?.status === 'pass')
  const held = new Set(passed.map(({ raw }) => raw.id))
  const still = cases.filter(({ raw }) => !held.has(raw.id))
  if (still.length === 0) return { still }
  const [stuck] = await writeOrReport({ ...place, before: after, after: before }, context)
  return stuck === undefined ? { still } : { still, fault: notPutBack(stuck, still), isKept: true }
}

/** A concurrent edit is never overwritten. */
function notPutBack(
  { file, fault }: UnwrittenDocument,
  still: readonly CaseEdits[],
): UnwrittenDocument {
  const ids = still.map(({ raw }) => raw.id).join(', ')
  const message = `${fault.message}, so new output was written and not reverted: ${ids}`
  const hint = 'The case fails with it too. Check the document and correct it by hand.'
  return { file, fault: new Fault(fault.code, message, { hint, cause: fault }) }
}
