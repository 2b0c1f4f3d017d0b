/** Checks at a location whether relocated work is accepted. Changes no issue. */

import { Fault } from '../../fault.ts'
import { readTree } from '../../harness/worktree/tree.ts'
import { Flaw, shaped } from '../../kernel/artifact/flaw.ts'
import { mutationPolicyDigest as digestOf } from '../../kernel/authority/mutation-policy.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import {
  type ReceivedRelocation,
  type RelocationPlace,
  type RelocationVerification,
  receivedFindings,
  relocationWitness,
} from '../../kernel/harness/relocation/relocation-check.ts'
import {
  type RelocationFinding,
  relocationFinding,
} from '../../kernel/harness/relocation/relocation-classes.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { Relocation } from '../../wire/relocation/relocation.ts'
import type { RelocationWitness } from '../../wire/relocation/relocation-witness.ts'
import type { CommandSpec } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { absolute, standardInput } from '../named-document.ts'
import type { Project } from '../open.ts'
import { openIssues } from '../open-issues.ts'
import { smallDocument, Unreadable } from '../small-document.ts'
import { specCommand } from '../specs/spec-verifier.ts'

interface LocationCheckInput {
  readonly verifyCmd: string | undefined
  readonly verifyTimeoutSeconds: number
  readonly issues: string | undefined
}

interface CheckedHere {
  readonly witness: RelocationWitness
  readonly findings: readonly RelocationFinding[]
  readonly root: string
}

export async function checkHere(
  arrived: ReceivedRelocation,
  { verifyCmd, verifyTimeoutSeconds, issues }: LocationCheckInput,
  here: Project,
): Promise<CheckedHere> {
  const { store, project } = await openIssues(here, { issues }, 'ask')
  const { root, sha256 } = project
  const folder = await project.folderHere()
  const { issueId } = arrived.relocation
  const look = async (now: Project) => {
    const tree = await treeIn(folder, now)
    const issue = (await store.read()).get(issueId)
    const mutationPolicyDigest = digestOf(await now.policy(), sha256)
    return { tree, place: { issue, mutationPolicyDigest, treeDigest: tree.digest } }
  }
  const { tree, place } = await look(project)
  const amiss = receivedFindings(arrived, place, sha256)
  const head = await tree.head()
  const asArrived = { place, verifications: [], findings: amiss }
  // Commands run only if the inputs are what was sent.
  const found =
    amiss.length > 0
      ? asArrived
      : await verified(
          arrived,
          { issue: place.issue, folder, verifyCmd, verifyTimeoutSeconds },
          async () => (await look(project.reopened())).place,
          project,
        )
  const witness = relocationWitness({ arrived, head, ...found })
  return { witness, findings: found.findings, root }
}

interface VerifyingHere extends Pick<LocationCheckInput, 'verifyCmd' | 'verifyTimeoutSeconds'> {
  readonly issue: Issue | undefined
  readonly folder: string
}

/**
 * Issue, policy and tree must still match afterwards, because the verification vouches for the
 * final state.
 */
async function verified(
  arrived: ReceivedRelocation,
  { issue, folder, verifyCmd, verifyTimeoutSeconds }: VerifyingHere,
  lookAgain: () => Promise<RelocationPlace>,
  context: OperationContext,
) {
  const specs = issue ? specsOf(issue) : []
  const commands = locationCommands(verifyCmd, specs, context)
  const run = { folder, timeoutMs: verifyTimeoutSeconds * 1000 }
  const verifications = await verifyHere(commands, run, context)
  const place = await lookAgain()
  const amiss = receivedFindings(arrived, place, context.sha256)
  return { place, verifications, findings: [...verificationFindings(verifications), ...amiss] }
}

async function treeIn(folder: string, project: Project) {
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const { root, files, env, sha256 } = project
  return await readTree({ root: folder, project: root, files, disk, processes, env, sha256 })
}

function verificationFindings(
  verifications: readonly RelocationVerification[],
): readonly RelocationFinding[] {
  const failed = verifications.find(({ exitCode }) => exitCode !== 0)
  if (!failed) return []
  const how = failed.exitCode === null ? 'was killed' : `ended with exit code ${failed.exitCode}`
  return [relocationFinding('handoff.verification_failed', `the verification ${how}`)]
}

/** Reads the inputs of a relocation: bounded in size, validated by schema, never executed. */
export async function receivedRelocation(
  path: string,
  context: OperationContext,
): Promise<ReceivedRelocation> {
  if (await isNoFile(path, context)) throw unusable(path, 'it is not a plain file')
  const document = await smallDocument(path, context)
  if (document instanceof Unreadable) throw unusable(path, document.why)
  const text = canonicalJson(document)
  const relocation = shaped(Relocation, JSON.parse(text))
  if (relocation instanceof Flaw) throw unusable(path, String(relocation))
  const digest = context.sha256(text)
  return { relocation, digest, name: path.slice(path.lastIndexOf('/') + 1) }
}

/** Reading a pipe without a writer would block until the transport times out. */
async function isNoFile(path: string, context: OperationContext): Promise<boolean> {
  if (path === standardInput) return true
  const disk = await context.disk()
  const entry = await disk.entry(await disk.realPath(absolute(path, context)))
  return entry?.kind === 'other'
}

const unusable = (path: string, why: string) =>
  new Fault('invalid_input', `${path} is not valid as the inputs of a relocation: ${why}`, {
    hint: 'A step writes the inputs below artifacts/relocations/ and passes the path to its transport in PREMATH_RELOCATION.',
    detail: { path },
  })

interface LocationCommand {
  /** Equal on every machine, because the witness stores its digest. */
  readonly name: string
  readonly command: CommandSpec['command']
}

/** The given command, then the specs of the issue. */
function locationCommands(
  given: string | undefined,
  specs: readonly string[],
  context: OperationContext,
): readonly [LocationCommand, ...LocationCommand[]] {
  const bySpecs = {
    name: `premath spec run ${specs.join(' ')}`,
    command: specCommand(specs, context),
  }
  const ofIssue = specs.length > 0 ? [bySpecs] : []
  const command = given ?? (context.env['PREMATH_VERIFY_CMD'] || undefined)
  const isNone = command === undefined || command.trim() === '' || command.includes('\0')
  const [first, ...more] = [...(isNone ? [] : [{ name: command, command }]), ...ofIssue]
  if (first) return [first, ...more]
  throw new Fault(
    'usage',
    '--verify-cmd is missing: pass the command that verifies the work here',
    {
      hint: "For example: --verify-cmd 'make test'. An issue with specs needs none.",
    },
  )
}

interface Run {
  /** The project folder of this clone. */
  readonly folder: string
  readonly timeoutMs: number
}

/** Ends at the first failure. A stop signal ends the running command. */
async function verifyHere(
  commands: readonly LocationCommand[],
  run: Run,
  context: OperationContext,
): Promise<readonly RelocationVerification[]> {
  const done: RelocationVerification[] = []
  for (const one of commands) {
    const verification = await verifyBy(one, run, context)
    done.push(verification)
    if (verification.exitCode !== 0) break
  }
  return done
}

const tailBytes = 16 * 1024

async function verifyBy(
  { name, command }: LocationCommand,
  { folder, timeoutMs }: Run,
  context: OperationContext,
): Promise<RelocationVerification> {
  const { env, sha256, progress } = context
  const processes = await context.processes()
  const running = await processes.start({
    command,
    cwd: folder,
    env,
    timeoutMs,
    outputBytesMax: 0,
    tailBytesMax: tailBytes,
  })
  const unhear = processes.onStopSignal(() => running.stop())
  const end = await running.end.finally(unhear)
  if (end.stopped) {
    throw new Fault('unavailable', 'the check was stopped', { hint: 'Run the command again.' })
  }
  const exitCode = end.timedOut || end.spawnFailed ? null : end.exitCode
  const output = `${end.stdout.tail}${end.stderr.tail}`.trimEnd()
  if (exitCode !== 0 && output !== '') for (const line of output.split('\n')) progress(line)
  return {
    commandDigest: `sha256:${sha256(name)}`,
    exitCode,
    outputDigest: `sha256:${sha256(`${end.stdout.sha256}\n${end.stderr.sha256}\n`)}`,
  }
}
