/** Finds, or makes, what lets an issue close. */

import { Fault } from '../../fault.ts'
import { readTree } from '../../harness/worktree/tree.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { CloseProof, closeFacts, type ProvenDocument } from '../../kernel/proof/close-proof.ts'
import type { TreeDigest } from '../../kernel/proof/tree-digest.ts'
import type { OpenedWitness, WitnessFolderName } from '../../kernel/proof/witness.ts'
import { latestWitnesses, writeWitness } from '../../store/witness-store.ts'
import type { VerifyWitness } from '../../wire/proof/verify-witness.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'
import { projectFolderHere } from '../root.ts'
import { specCommand } from '../specs/spec-verifier.ts'

export interface ProofPlace {
  /** Where witnesses lie: in the main worktree, with the issues. */
  readonly root: string
  /** The project's folder here, which the tree is of. */
  readonly folder: string
}

export async function proofPlace(root: string, context: OperationContext): Promise<ProofPlace> {
  return { root, folder: await projectFolderHere(context, root) }
}

/** From witnesses of the tree as it is now. */
export async function findProof(
  issue: Issue,
  place: ProofPlace,
  context: OperationContext,
): Promise<CloseProof | IssueRefusal> {
  const specs = specsOf(issue)
  const asked = { issueId: issue.id, tree: await treeDigestOf(place, context) }
  if (specs.length === 0) {
    const about = { issueId: issue.id, documents: [] }
    return await latestProof('verify', about, place, context, witnesses =>
      CloseProof.byVerification(asked, witnesses),
    )
  }
  const paths = await documentsOf(issue.id, specs, place, context)
  if ('failureClass' in paths) return paths
  const documents = await contentsOf(paths, place, context)
  const about = { issueId: issue.id, documents: paths }
  const proof = await latestProof('spec', about, place, context, witnesses =>
    CloseProof.bySpecs({ ...asked, specs, documents }, witnesses),
  )
  if (!isRefusal(proof) || proof.failureClass === 'close_proof_failed') return proof
  return { ...proof, remedy: runningThem(issue.id) }
}

export const runningThem = (issueId: string) =>
  `premath issue update ${issueId} --status closed --verify runs them first.`

/** Mostly the newest will do; documents that passed in several runs need as many. */
async function latestProof(
  kind: WitnessFolderName,
  about: Parameters<typeof closeFacts>[1],
  { root }: ProofPlace,
  context: OperationContext,
  judge: (witnesses: readonly OpenedWitness[]) => CloseProof | IssueRefusal,
): Promise<CloseProof | IssueRefusal> {
  const { files, sha256 } = context
  const witnesses: OpenedWitness[] = []
  const place = { root, files, disk: await context.disk(), sha256 }
  for await (const witness of latestWitnesses(kind, place)) {
    const facts = closeFacts(witness, about)
    if (facts === undefined) continue
    witnesses.push(facts)
    const proof = judge(witnesses)
    if (!isRefusal(proof)) return proof
  }
  return judge(witnesses)
}

/** Documents that the specs of an issue mean, from the project's folder. */
async function documentsOf(
  issueId: string,
  specs: readonly string[],
  { folder }: ProofPlace,
  context: OperationContext,
): Promise<readonly string[] | IssueRefusal> {
  // The reader of patterns is loaded only where an issue names specs.
  const { discover } = await import('../../runner/discover.ts')
  const world = { ...context, cwd: () => folder }
  const { files, problems } = await discover(specs, ['md'], world)
  const [problem] = problems
  const outside = files.find(file => file.startsWith('/'))
  if (outside !== undefined) return liesOutside(issueId, outside)
  if (problem === undefined && files.length > 0) return files
  const why = problem ? `${problem.place.file} ${problem.message}` : 'they name no document'
  const remedy = `premath issue update ${issueId} --spec <file> names other ones.`
  return refuse('close_proof_missing', `the specs of ${issueId} are not there: ${why}`, remedy)
}

/** Its runs leave no witness: another clone would not have it. */
const liesOutside = (issueId: string, path: string) =>
  refuse(
    'close_proof_missing',
    `${path} lies outside the project, and shows nothing about it`,
    `Copy it into the project, and name it there: premath issue update ${issueId} --spec <file>.`,
  )

/** One that git ignores, or that lies below `artifacts/`, is no part of the tree. */
export async function contentsOf(
  paths: readonly string[],
  { folder }: Pick<ProofPlace, 'folder'>,
  context: OperationContext,
): Promise<readonly ProvenDocument[]> {
  const disk = await context.disk()
  const documents: ProvenDocument[] = []
  for (const path of paths) {
    const sha256 = `sha256:${await disk.sha256(resolvePath(folder, path))}` as const
    documents.push({ path, sha256 })
  }
  return documents
}

export async function treeDigestOf(
  { folder }: Pick<ProofPlace, 'folder'>,
  context: OperationContext,
  onAsked?: () => void,
): Promise<TreeDigest> {
  const [disk, processes] = await Promise.all([context.disk(), context.processes()])
  const { files, env, sha256 } = context
  const place = { root: folder, files, disk, processes, env, sha256 }
  return (await readTree(place, onAsked)).digest
}

/** As long as a verification of the loop may take. */
const verifyTimeoutMs = 600_000
const outputTailBytes = 16 * 1024

/** Runs the issue's specs, which leave their own witness. */
export async function runSpecsOf(
  issue: Issue,
  { folder }: ProofPlace,
  context: OperationContext,
): Promise<void> {
  const [program, ...args] = specCommand(specsOf(issue), context)
  const end = await run([program, ...args], folder, context)
  if (end.exitCode === 0) return
  tellLines(end.stdout.tail.trimEnd() || end.stderr.tail.trimEnd(), context)
}

/** One by one: what goes on is told in lines, and the end of one would be shown as a sign. */
function tellLines(text: string, { progress }: OperationContext): void {
  for (const line of text.split('\n')) progress(line)
}

/** Runs a command that says whether the issue is done, and writes down what it said. */
export async function runVerification(
  issue: Issue,
  command: string,
  place: ProofPlace,
  context: OperationContext,
): Promise<void> {
  const end = await run(command, place.folder, context)
  const { sha256 } = context
  const tree = await treeDigestOf(place, context)
  await witnessVerification(
    {
      issueId: issue.id,
      commandDigest: `sha256:${sha256(command)}`,
      exitCode: end.exitCode,
      outputDigest: `sha256:${sha256(`${end.stdout.sha256}\n${end.stderr.sha256}\n`)}`,
    },
    tree,
    place,
    context,
  )
  const said = `${end.stdout.tail}${end.stderr.tail}`.trimEnd()
  if (end.exitCode !== 0 && said !== '') tellLines(said, context)
}

/** With the tree that it left. */
export async function witnessVerification(
  ran: Pick<VerifyWitness, 'issueId' | 'stepId' | 'commandDigest' | 'exitCode' | 'outputDigest'>,
  tree: TreeDigest,
  place: ProofPlace,
  context: OperationContext,
): Promise<OpenedWitness> {
  const witness: VerifyWitness = {
    schema: 1,
    witnessKind: 'premath.verify.witness.v1',
    result: ran.exitCode === 0 ? 'accepted' : 'rejected',
    treeDigest: tree,
    ...ran,
  }
  const { sha256 } = context
  const disk = await context.disk()
  const path = await writeWitness('verify', witness, { root: place.root, disk, sha256 })
  return { path, value: witness as unknown as JsonObject }
}

async function run(
  command: string | readonly [string, ...string[]],
  cwd: string,
  { env, processes }: OperationContext,
) {
  const end = await (await processes()).run({
    command,
    cwd,
    env,
    timeoutMs: verifyTimeoutMs,
    outputBytesMax: 0,
    tailBytesMax: outputTailBytes,
  })
  if (end.spawnFailed) {
    throw new Fault('unavailable', `the verification did not start: ${end.spawnFailed.reason}`)
  }
  if (end.timedOut) {
    throw new Fault('unavailable', 'the verification took more than ten minutes and was ended', {
      hint: 'Run it by hand: a witness of specs that passed on this tree closes the issue.',
    })
  }
  return end
}
