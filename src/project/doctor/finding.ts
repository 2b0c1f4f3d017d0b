/** The checks of the doctor, and their findings. */

import type { ExitCode } from '../../answer.ts'
import { Fault, faultCodes } from '../../fault.ts'
import type { Disk } from '../../world/world.ts'
import type { Project } from '../open.ts'

/** The checks in order, with their names for people. */
export const examined = {
  policy: 'policy',
  config: 'settings',
  trust: 'trusted keys',
  required: 'required checks',
  places: 'kinds of files',
  memory: 'issue memory',
  git: 'git',
  permissions: 'permissions',
  lock: 'lock',
  rows: 'rows',
  torn: 'torn tail',
  forward: 'acknowledged rows',
  drafts: 'leftovers',
  cache: 'cache',
  events: 'event log',
  cycles: 'cycles',
  dangling: 'dangling edges',
  fences: 'fences',
  leases: 'leases',
  merges: 'values that gave way in a merge',
  proofs: 'proofs of closed issues',
  witnesses: 'witnesses',
  landed: 'landed commits',
  harness: 'state of the harness',
  worktrees: 'worktrees',
} as const

export type Check = keyof typeof examined

/** Checks of something that a project need not have. */
export const isOptional = (check: Check): boolean =>
  ['config', 'trust', 'required', 'git', 'witnesses', 'landed'].includes(check)

/** One examination of a project. */
export interface Visit {
  /** The path of the rows. */
  readonly path: string
  readonly project: Project
  readonly disk: Disk
  readonly fix: boolean
  readonly now: bigint
}

export interface DoctorFinding {
  readonly check: Check
  /** The problem, why it matters, and what to do. */
  readonly what: string
  readonly why: string
  readonly next: string
  /** The exit code for this finding: 5 integrity, 4 conflict, 3 environment, 1 anything else. */
  readonly exitCode: ExitCode
  /** Whether this run fixed it. */
  readonly fixed: boolean
}

export const finding = (
  check: Check,
  what: string,
  why: string,
  next: string,
  exitCode: ExitCode = 1,
): DoctorFinding => ({ check, what, why, next, exitCode, fixed: false })

/** The finding after its fix, with the fix as text. */
export const fixed = (found: DoctorFinding, done: string): DoctorFinding => ({
  ...found,
  next: done,
  fixed: true,
})

/** The result of one part: the checks that ran, and their findings. */
export interface Examined {
  readonly checks: readonly Check[]
  readonly findings: readonly DoctorFinding[]
  /** Set where the check looked at a part only. */
  readonly looked?: CheckedCounts
}

/** How many were looked at, of how many. */
export type CheckedCounts = Partial<Record<Check, { readonly looked: number; readonly of: number }>>

export const singleFinding = (found: DoctorFinding): Examined => ({
  checks: [found.check],
  findings: [found],
})

/** Turns a fault into a finding. */
export async function faultAsFinding<T>(
  check: Check,
  act: () => T | Promise<T>,
  why = 'Until it is fixed, issue memory cannot be used.',
): Promise<{ readonly value: T } | { readonly found: Examined }> {
  try {
    return { value: await act() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const next = error.hint ?? 'Fix it and run again.'
    return { found: singleFinding(finding(check, error.message, why, next, exitOfFault(error))) }
  }
}

/** No flag names these files, so a file that cannot be read is no bad input. */
const exitOfFault = ({ code }: Fault): ExitCode => (faultCodes[code] === 2 ? 3 : faultCodes[code])

export const combined = (...parts: readonly Examined[]): Examined => ({
  checks: parts.flatMap(part => part.checks),
  findings: parts.flatMap(part => part.findings),
  looked: Object.assign({}, ...parts.map(part => part.looked)),
})
