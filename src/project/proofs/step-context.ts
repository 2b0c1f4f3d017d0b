/** Computes the digests again of what a step's own turn says about its context. */
import { fromRoot } from '../../harness/harness.ts'
import { openRef, StepFolder } from '../../harness/step/step-folder.ts'
import { digestOf } from '../../kernel/canonical.ts'
import { stepContext } from '../../kernel/harness/step/step-turn.ts'
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../kernel/json.ts'
import type { ProofPart } from '../../kernel/proof/proof-chain.ts'
import { finding, type ProofFinding } from '../../kernel/proof/proof-classes.ts'
import { readPlain } from '../../store/plain-file.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'

type StepPlace = Pick<OpenWitnesses, 'root' | 'disk' | 'sha256'>

const surfaces = [
  { ...stepContext.view, rows: 'stateViews', key: 'viewId', digest: 'viewDigest' },
  { ...stepContext.queue, rows: 'reminderQueue', key: 'queueId', digest: 'reducedDigest' },
] as const

/** The same for the parts of a proof. */
export async function proofContextFindings(
  parts: readonly ProofPart[],
  open: StepPlace,
): Promise<readonly ProofFinding[]> {
  const turns = parts.filter(({ kind }) => kind === 'join')
  const found = await Promise.all(turns.map(one => contextFindings(one.value, one.file, open)))
  return found.flat()
}

/**
 * Folders of steps are not committed, so a missing file says nothing wrong. Neither does the folder of
 * another attempt: clones give out the same step ids.
 */
export async function contextFindings(
  { evidence: input = null }: JsonObject,
  at: string,
  open: StepPlace,
): Promise<readonly ProofFinding[]> {
  const evidence = objectIn(objectIn(input)['evidence'])
  const stepId = objectIn(evidence['callSpec'])['callId']
  if (typeof stepId !== 'string' || !(await isOfAttempt(evidence, open))) return []
  const folder = new StepFolder(open, stepId)
  const found: ProofFinding[] = []
  for (const { rows, key, id, digest, file } of surfaces) {
    const row = rowsIn(evidence[rows]).find(one => one[key] === id)
    const path = folder.file(file)
    const read = row && (await readPlain(path, open))
    if (!row || !read || !('text' in read)) continue
    const value = jsonIn(read.text)
    if (value !== undefined && digestOf(value, open.sha256) === row[digest]) continue
    const why = `${fromRoot(open, path)} is not what the turn of the step was judged on`
    found.push(finding('witness_changed', at, why))
  }
  return found
}

/** True if the record that the turn refers to is here. */
async function isOfAttempt({ toolUse }: JsonObject, open: StepPlace): Promise<boolean> {
  const refs = rowsIn(toolUse).map(row => row['mutationInputRef'])
  const opened = refs.map(async ref => typeof ref === 'string' && (await openRef(ref, open)))
  return (await Promise.all(opened)).includes('verified')
}

const objectIn = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
const rowsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []
