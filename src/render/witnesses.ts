/** Shared parts of the witness commands. */

import type { CommandError, Page } from '../answer.ts'
import type { ProofFinding } from '../kernel/proof/proof-classes.ts'
import { visible } from '../kernel/text/visible.ts'

export const witnessKindNames = [
  'chain',
  'instruction',
  'join',
  'relocation',
  'spec',
  'verify',
] as const

/** Short but sufficient to identify a witness. */
export const shortDigest = (digest: string) => digest.replace(/^[a-z0-9]+[_:]/, '').slice(0, 12)

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** An age such as `3 d`. */
export function ageOf(at: bigint, now: bigint): string {
  const seconds = Math.max(0, Number((now - at) / 1_000_000_000n))
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? (['s', 1] as const)
  return `${Math.floor(seconds / length)} ${unit}`
}

export const findingLine = ({ failureClass, at, message }: ProofFinding) =>
  `${failureClass}: ${at}: ${message}`

export function findingsMessage(findings: readonly ProofFinding[]): { readonly message?: string } {
  const [first] = findings
  if (first === undefined) return {}
  const { failureClass, at, message } = first
  return { message: visible(`error: ${at}: ${message} (${failureClass})`) }
}

export function findingError(findings: readonly ProofFinding[]): { readonly error?: CommandError } {
  const [first] = findings
  if (first === undefined) return {}
  const { failureClass, at, message } = first
  const hint = 'List every finding: premath witness verify --all.'
  return { error: { code: failureClass, message: `${at}: ${message}`, hint } }
}

export const classesOf = (findings: readonly ProofFinding[]): readonly string[] =>
  [...new Set(findings.map(({ failureClass }) => failureClass))].sort()

export const resultInk = (result: string, page: Page): string =>
  page.ink(result === 'accepted' ? 'green' : 'red', result)
