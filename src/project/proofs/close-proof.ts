/** Finds or makes the proof that lets an issue close. */

import { Fault } from '../../fault.ts'
import { readTree } from '../../harness/worktree/tree.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { outputLines } from '../../kernel/harness/feedback.ts'
import { cannotFailNotice } from '../../kernel/harness/vacuous-command.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import {
  CloseProof,
  closeFacts,
  type ProvenDocument,
  runSpecsRemedy,
} from '../../kernel/proof/close-proof.ts'
import type { TreeDigest } from '../../kernel/proof/tree-digest.ts'
import type { OpenedWitness, WitnessFolderName } from '../../kernel/proof/witness.ts'
import {
  latestWitnesses,
  openedWitnesses,
  type WitnessedWork,
  writeWitness,
} from '../../store/witness-store.ts'
import { VerifyWitness } from '../../wire/proof/verify-witness.ts'
import type { OperationContext } from '../context.ts'
import type { Project } from '../open.ts'
import { resolvePath } from '../paths.ts'
import { specCommand } from '../specs/spec-verifier.ts'
import { signerOf } from './birth-signing.ts'

/** Searches the witnesses of the current files. */
export async function findProof(
  issue: Issue,
  project: Project,
  /** The digest of the current files, if it was read just now. */
  read?: TreeDigest,
): Promise<CloseProof | IssueRefusal> {
  const specs = specsOf(issue)
  const tree = read ?? (await treeDigestOf(await project.folderHere(), project))
  const asked = { issueId: issue.id, tree }
  if (specs.length === 0) {
    const about = { issueId: issue.id, documents: [] }
    return await latestProof('verify', about, project, witnesses =>
      CloseProof.byVerification(asked, witnesses),
    )
  }
  const documents = await documentsAsked(issue, project)
  if ('failureClass' in documents) return documents
  const about = { issueId: issue.id, documents: documents.map(({ path }) => path) }
  const proof = await latestProof('spec', about, project, witnesses =>
    CloseProof.bySpecs({ ...asked, specs, documents }, witnesses),
  )
  if (!isRefusal(proof) || proof.failureClass === 'close_proof_failed') return proof
  return { ...proof, remedy: runSpecsRemedy(issue.id) }
}

/**
 * Signs the witness of specs that a command of this process has just left. That command knows no
 * key, and in the sandbox the harness signs for it too.
 */
export async function signLeft(
  path: string,
  project: Project,
  about?: WitnessedWork,
): Promise<void> {
  const { root, sha256 } = project
  const signer = await signerOf(project)
  if (signer === undefined) return
  const place = { root, disk: await project.disk(), sha256 }
  for (const { value } of await openedWitnesses('spec', [path], place)) {
    await writeWitness('spec', value, { ...place, signer, about })
  }
}

/** The proof from these witnesses of specs, and no others. */
export async function specProof(
  issue: Issue,
  paths: readonly string[],
  project: Project,
): Promise<CloseProof | IssueRefusal> {
  const { root, sha256 } = project
  const tree = await treeDigestOf(await project.folderHere(), project)
  const documents = await documentsAsked(issue, project)
  if ('failureClass' in documents) return documents
  const asked = { issueId: issue.id, tree, specs: specsOf(issue), documents }
  const place = { root, disk: await project.disk(), sha256 }
  return CloseProof.bySpecs(asked, await openedWitnesses('spec', paths, place))
}

async function documentsAsked(
  issue: Issue,
  project: Project,
): Promise<readonly ProvenDocument[] | IssueRefusal> {
  const paths = await documentsOf(issue.id, specsOf(issue), project)
  if ('failureClass' in paths) return paths
  return await contentsOf(paths, await project.folderHere(), project)
}

/** The newest witness is mostly enough; documents that passed in several runs need several. */
async function latestProof(
  kind: WitnessFolderName,
  about: Parameters<typeof closeFacts>[1],
  project: Project,
  judge: (witnesses: readonly OpenedWitness[]) => CloseProof | IssueRefusal,
): Promise<CloseProof | IssueRefusal> {
  const { root, files, sha256 } = project
  const witnesses: OpenedWitness[] = []
  const place = { root, files, disk: await project.disk(), sha256 }
  for await (const witness of latestWitnesses(kind, place)) {
    const facts = closeFacts(witness, about)
    if (facts === undefined) continue
    witnesses.push(facts)
    const proof = judge(witnesses)
    if (!isRefusal(proof)) return proof
  }
  return judge(witnesses)
}

/** The documents that the specs of an issue name, from the project's folder. */
async function documentsOf(
  issueId: string,
  specs: readonly string[],
  project: Project,
): Promise<readonly string[] | IssueRefusal> {
  // Most issues name no specs, so the reader of patterns is loaded when one does.
  const { discover } = await import('../../runner/discover.ts')
  const folder = await project.folderHere()
  const world = { ...project, cwd: () => folder }
  const { files, problems } = await discover(specs, ['md'], world)
  const [problem] = problems
  const outside = files.find(file => file.startsWith('/'))
  if (outside !== undefined) return liesOutside(issueId, outside)
  if (problem === undefined && files.length > 0) return files
  const why = problem ? `${problem.place.file} ${problem.message}` : 'they name no document'
  const remedy = `premath issue update ${issueId} --spec <file> names other ones.`
  return refuse('close_proof_missing', `the specs of ${issueId} are not there: ${why}`, remedy)
}

/** Another clone would lack the document, so its runs leave no witness. */
const liesOutside = (issueId: string, path: string) =>
  refuse(
    'close_proof_missing',
    `${path} lies outside the project, and shows nothing about it`,
    `Copy it into the project, and name it there: premath issue update ${issueId} --spec <file>.`,
  )

/** The digest of each: the tree lacks documents that git ignores, and those in `artifacts/`. */
export async function contentsOf(
  paths: readonly string[],
  folder: string,
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
  folder: string,
  project: Project,
  onAsked?: () => void,
): Promise<TreeDigest> {
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const { files, env, sha256 } = project
  const place = { root: folder, project: project.root, files, disk, processes, env, sha256 }
  return (await readTree(place, onAsked)).digest
}

/** The default of the loop for one verification. */
const verifyTimeoutMs = 600_000
const outputTailBytes = 16 * 1024

/** Runs the issue's specs, which write their own witness. */
export async function runSpecsOf(issue: Issue, project: Project): Promise<void> {
  const [program, ...args] = specCommand(specsOf(issue), project)
  const end = await run([program, ...args], await project.folderHere(), project)
  if (end.exitCode !== 0)
    printLines(end.stdout.tail.trimEnd() || end.stderr.tail.trimEnd(), project)
  const left = [...end.stdout.tail.matchAll(/^witness (\S+)$/gm)].at(-1)?.[1] ?? ''
  await signLeft(left, project)
}

/** Line by line, since `progress` prints a line feed inside a line as an escape. */
function printLines(text: string, { progress }: OperationContext): void {
  for (const line of outputLines(text)) progress(line.replaceAll('\t', '  '))
}

/** Runs a command that verifies the issue, and writes a witness of the result and of the tree. */
export async function runVerification(
  issue: Issue,
  command: string,
  project: Project,
): Promise<TreeDigest> {
  const notice = cannotFailNotice(command)
  if (notice !== undefined) project.progress(`note: ${notice}`)
  const folder = await project.folderHere()
  const end = await run(command, folder, project)
  const { sha256 } = project
  const tree = await treeDigestOf(folder, project)
  await witnessVerification(
    {
      issueId: issue.id,
      commandDigest: `sha256:${sha256(command)}`,
      exitCode: end.exitCode,
      outputDigest: `sha256:${sha256(`${end.stdout.sha256}\n${end.stderr.sha256}\n`)}`,
    },
    tree,
    project,
  )
  const output = `${end.stdout.tail}${end.stderr.tail}`.trimEnd()
  if (end.exitCode !== 0 && output !== '') printLines(output, project)
  return tree
}

/** Writes the witness of a verification, with the tree that it left. */
export async function witnessVerification(
  ran: Omit<VerifyWitness, 'schema' | 'witnessKind' | 'result' | 'treeDigest'>,
  tree: TreeDigest,
  project: Project,
): Promise<OpenedWitness> {
  const witness: VerifyWitness = {
    schema: 1,
    witnessKind: 'premath.verify.witness.v1',
    result: ran.exitCode === 0 ? 'accepted' : 'rejected',
    treeDigest: tree,
    ...ran,
  }
  const { root, sha256 } = project
  const disk = await project.disk()
  const path = await writeWitness('verify', witness, {
    root,
    disk,
    sha256,
    signer: await signerOf(project),
  })
  return { path, value: documentOf(VerifyWitness, witness) }
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
