/** What the commands on witnesses have in common. */

import type { Page } from '../answer.ts'
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

/** Enough to tell one from another, and to name it by. */
export const shortDigest = (digest: string) => digest.replace(/^[a-z0-9]+[_:]/, '').slice(0, 12)

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** `3 d`: how long ago that was. */
export function ageOf(at: bigint, now: bigint): string {
  const seconds = Math.max(0, Number((now - at) / 1_000_000_000n))
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? (['s', 1] as const)
  return `${Math.floor(seconds / length)} ${unit}`
}

export const findingLine = ({ failureClass, at, message }: ProofFinding) =>
  `${failureClass}: ${at}: ${message}`

/** For a person, on standard error. */
export function findingsTalk(findings: readonly ProofFinding[]): { readonly talk?: string } {
  const [first] = findings
  if (first === undefined) return {}
  const { failureClass, at, message } = first
  return { talk: visible(`error: ${at}: ${message} (${failureClass})`) }
}

export const classesOf = (findings: readonly ProofFinding[]): readonly string[] =>
  [...new Set(findings.map(({ failureClass }) => failureClass))].sort()

export const resultInk = (result: string, page: Page): string =>
  page.ink(result === 'accepted' ? 'green' : 'red', result)
