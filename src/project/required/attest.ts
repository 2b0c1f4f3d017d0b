/** Verifies the files of a run of required checks, decides, and verifies the decision. */

import { Fault } from '../../fault.ts'
import { printDocument } from '../../kernel/artifact/print.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../kernel/json.ts'
import { changedPathsOf } from '../../kernel/required/changed-paths.ts'
import { decideRequired } from '../../kernel/required/decide.ts'
import { verifyDecision } from '../../kernel/required/verify-decision.ts'
import { RequiredDecision } from '../../wire/required/decision.ts'
import type { RequiredChecks } from '../../wire/required/required-checks.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { Project } from '../open.ts'
import { latest, type RequiredFolder, writeWithDigest } from './required-files.ts'
import { payloadFiles } from './required-input.ts'

export interface Attested {
  readonly decision: RequiredDecision
  /** The path of the decision, as the flags give it. */
  readonly decisionPath: string
  /** What the verification of the decision found. */
  readonly errors: readonly string[]
}

/** Everything is read from the files, since they are what others will see. */
export async function attestRequired(
  project: Project,
  rules: RequiredChecks,
  folder: RequiredFolder,
  nativeRequiredChecks: readonly string[],
): Promise<Attested> {
  const { sha256 } = project
  const witness = await documentAt(folder, latest.required, project)
  const delta = await documentAt(folder, latest.delta, project)
  const at = { at: 'changedPaths', failureClass: 'required_witness_decide_invalid' } as const
  const paths = changedPathsOf(delta.document['changedPaths'], at)
  const decided = decideRequired(
    {
      witness: witness.document,
      rules,
      nativeRequiredChecks,
      // No path matches a delta that cannot be read.
      expectedChangedPaths: isRefused(paths) ? ['..'] : paths,
      payloadOf: await payloadFiles(witness.document, folder.path, project),
    },
    sha256,
  )
  const decision: RequiredDecision = {
    schema: 1,
    decisionKind: 'ci.required.decision.v1',
    decision: decided.decision,
    witnessPath: witness.path,
    witnessSha256: witness.sha256,
    deltaSnapshotPath: delta.path,
    deltaSha256: delta.sha256,
    typedCoreProjectionDigest: decided.typedCoreProjectionDigest ?? null,
    authorityPayloadDigest: decided.authorityPayloadDigest ?? null,
    normalizerId: decided.normalizerId ?? null,
    policyDigest: decided.policyDigest ?? null,
    projectionDigest: decided.projectionDigest ?? null,
    requiredChecks: decided.requiredChecks ?? [],
    nativeRequiredChecks,
    reasonClass: decided.reasonClass,
    errors: decided.errors,
  }
  const text = printDocument(RequiredDecision, decision)
  await writeWithDigest(folder.path, latest.decision, text, project)
  const { errors } = verifyDecision({
    decision: (await documentAt(folder, latest.decision, project)).document,
    witness: witness.document,
    deltaSnapshot: delta.document,
    actualWitnessSha256: witness.sha256,
    actualDeltaSha256: delta.sha256,
  })
  return { decision, decisionPath: `${folder.shown}/${latest.decision}.json`, errors }
}

async function documentAt(
  folder: RequiredFolder,
  name: string,
  { files, sha256 }: Project,
): Promise<{ readonly document: JsonObject; readonly path: string; readonly sha256: string }> {
  const path = `${folder.path}/${name}.json`
  const text = decodeUtf8(await files.read(path))
  const document = parseJson(text)
  if (isJsonObject(document)) return { document, path, sha256: sha256(text) }
  throw new Fault('corrupt', `${path} is not an object`, {
    hint: 'Run premath ci-required again.',
    detail: { path },
  })
}
