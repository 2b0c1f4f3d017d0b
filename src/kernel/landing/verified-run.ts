/** Verifications that passed, so that the same files are not verified twice for an issue. */
import { VerifiedRun } from '../../wire/landing/verified-run.ts'
import type { SandboxMode } from '../../wire/sandbox-mode.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import { digestOf, type Sha256 } from '../canonical.ts'
import { jsonIn } from '../json.ts'
import { instantOf, seconds } from '../timestamp.ts'

/** The inputs of a verification. */
export interface Verified {
  readonly issueId: string
  /** The entries of the tree, without issue memory. The inputs of the start-up command are in it. */
  readonly tree: readonly string[]
  readonly command: string
  readonly specs: readonly string[]
  readonly startUp: string | undefined
  /** Changes of these files make the start-up command run again. */
  readonly startUpInputs: readonly string[]
  readonly copiedFiles: readonly CopiedFile[]
  readonly sandbox: SandboxMode
}

export interface CopiedFile {
  readonly path: string
  readonly sha256: string
}

/**
 * `undefined` if the result must not be used again. A command that mentions `PREMATH_` asks about one
 * attempt, and specs leave witnesses of their own. The key names the issue, because scripts that the
 * command runs may ask for it too.
 */
export function verificationKey(
  { issueId, tree, command, specs, startUp, startUpInputs, copiedFiles, sandbox }: Verified,
  sha256: Sha256,
): string | undefined {
  if (specs.length > 0 || /PREMATH_/.test(command)) return undefined
  const copied = copiedFiles.map(({ path, sha256: content }) => [path, content])
  const known = { issueId, tree, command, startUp: startUp ?? null, startUpInputs, copied, sandbox }
  return digestOf(known, sha256)
}

/** Programs outside of the repository change too, so a result is not used for ever. */
const ageMax = seconds(7 * 24 * 3600)
const runsMax = 1_000

/** The last run of that key that is not too old. */
export const findRun = (
  runs: readonly VerifiedRun[],
  key: string,
  now: bigint,
): VerifiedRun | undefined => runs.findLast(run => run.key === key && isYoung(run, now))

/** With one more run, without those that are too old or too many. */
export const withRun = (
  runs: readonly VerifiedRun[],
  added: VerifiedRun,
  now: bigint,
): readonly VerifiedRun[] =>
  [...runs.filter(run => run.key !== added.key && isYoung(run, now)), added].slice(-runsMax)

const isYoung = ({ at }: VerifiedRun, now: bigint) => (instantOf(at) ?? 0n) > now - ageMax

/** A line that a crash tore is left out: its verification runs again. */
export const readRuns = (text: string): readonly VerifiedRun[] =>
  text.split('\n').flatMap(line => {
    const run = shaped(VerifiedRun, jsonIn(line))
    return run instanceof Flaw ? [] : run
  })

export const printRuns = (runs: readonly VerifiedRun[]): string =>
  runs.map(run => `${JSON.stringify(run)}\n`).join('')
