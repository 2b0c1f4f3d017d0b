/** The checks of the doctor and their findings. */

import type { ExitCode } from '../../answer.ts'
import { Fault, faultCodes } from '../../fault.ts'

/** In the order of examination and report. */
export const examined = {
  policy: 'policy',
  memory: 'issue memory',
  permissions: 'permissions',
  lock: 'lock',
  rows: 'rows',
  torn: 'torn tail',
  drafts: 'leftovers',
  cache: 'cache',
  events: 'event log',
  cycles: 'cycles',
  dangling: 'dangling edges',
  fences: 'fences',
  leases: 'leases',
  proofs: 'proofs of closed issues',
  harness: 'what the harness remembers',
  worktrees: 'worktrees',
} as const

export type Check = keyof typeof examined

export interface DoctorFinding {
  readonly check: Check
  /** The problem, its effect and its remedy. */
  readonly what: string
  readonly why: string
  readonly next: string
  /** The exit code of this finding: 5 integrity, 4 conflict, 3 environment, 1 anything else. */
  readonly exitCode: ExitCode
  /** Set right just now. */
  readonly fixed: boolean
}

export const finding = (
  check: Check,
  what: string,
  why: string,
  next: string,
  exitCode: ExitCode = 1,
): DoctorFinding => ({ check, what, why, next, exitCode, fixed: false })

/** The finding once it is set right, with what was done. */
export const fixed = (found: DoctorFinding, done: string): DoctorFinding => ({
  ...found,
  next: done,
  fixed: true,
})

/** Part of a visit: what could be looked at, and what was found. */
export interface Examined {
  readonly checks: readonly Check[]
  readonly findings: readonly DoctorFinding[]
  /** Set if only a part was checked. */
  readonly looked?: Looked
}

/** At how many of how many. */
export type Looked = Partial<Record<Check, { readonly looked: number; readonly of: number }>>

export const only = (found: DoctorFinding): Examined => ({
  checks: [found.check],
  findings: [found],
})

/** A fault of the environment or of a file becomes a finding. */
export async function noting<T>(
  check: Check,
  act: () => T | Promise<T>,
  why = 'Until it is put right, issue memory cannot be used.',
): Promise<{ readonly value: T } | { readonly found: Examined }> {
  try {
    return { value: await act() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const next = error.hint ?? 'Put it right, and run again.'
    return { found: only(finding(check, error.message, why, next, exitOfFault(error))) }
  }
}

/** The user did not name these files, so an unreadable one is not bad input. */
const exitOfFault = ({ code }: Fault): ExitCode => (faultCodes[code] === 2 ? 3 : faultCodes[code])

export const together = (...parts: readonly Examined[]): Examined => ({
  checks: parts.flatMap(part => part.checks),
  findings: parts.flatMap(part => part.findings),
  looked: Object.assign({}, ...parts.map(part => part.looked)),
})
