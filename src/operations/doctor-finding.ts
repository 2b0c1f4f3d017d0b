/** What the doctor looks at, and what it found there. */

/** In the order they are looked at and told. */
export const examined = {
  policy: 'policy',
  memory: 'issue memory',
  permissions: 'permissions',
  lock: 'lock',
  rows: 'rows',
  torn: 'torn tail',
  drafts: 'leftovers',
  cache: 'cache',
  cycles: 'cycles',
  dangling: 'dangling edges',
  fences: 'fences',
  leases: 'leases',
} as const

export type Check = keyof typeof examined

export interface DoctorFinding {
  readonly check: Check
  /** What is the matter, why that matters, and what to do. */
  readonly what: string
  readonly why: string
  readonly next: string
  /** Set right just now. */
  readonly fixed: boolean
}

export const finding = (check: Check, what: string, why: string, next: string): DoctorFinding => ({
  check,
  what,
  why,
  next,
  fixed: false,
})

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
}

export const together = (...parts: readonly Examined[]): Examined => ({
  checks: parts.flatMap(part => part.checks),
  findings: parts.flatMap(part => part.findings),
})
