/** Commands that ask before they override, for tests that are about something else. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { governedDocument } from '../src/kernel/governance/governed-document.ts'
import { policyEntry, printPolicyEntry } from '../src/kernel/governance/policy-entry.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const flags = ['--force', '--may-change', '--writes-specs', '--attest', '--accept-older']

/** True if somebody has to confirm the command at a terminal. */
export const asksFirst = (args: readonly string[]): boolean =>
  args.some(word => flags.includes(word)) ||
  ['policy set', 'instruction new'].includes(args.slice(0, 2).join(' '))

const scriptsMay = { schema: 1, surfaces: { cli: { mode: 'open' } }, override: 'script' }

/** Puts a policy in force under which scripts may override, in a project without a commit. */
export function letScriptsOverride(root: string): void {
  const governed = governedDocument(scriptsMay, sha256)
  if (typeof governed === 'string') throw new Error(governed)
  const stamp = { at: '2026-01-01T00:00:00Z', operator: 'terminal', reason: 'a test' }
  const entry = policyEntry(governed, { ...stamp, evidence: undefined }, null, sha256)
  mkdirSync(join(root, '.premath'), { recursive: true })
  writeFileSync(join(root, '.premath/policy-log.jsonl'), `${printPolicyEntry(entry)}\n`)
}

/** Writes the same policy to its file, for a test that commits it on the target branch. */
export function writeScriptPolicy(root: string): void {
  mkdirSync(join(root, '.premath'), { recursive: true })
  writeFileSync(join(root, '.premath/policy.json'), JSON.stringify(scriptsMay))
}
