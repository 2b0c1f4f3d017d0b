/** Retry policies for tests that are about something else than the shipped one. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { policyDigestOf } from '../src/kernel/harness/retry/control-policy.ts'
import { retryPolicyPath } from '../src/kernel/harness/retry/retry-policy.ts'
import type { JsonObject } from '../src/kernel/json.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The shipped policy with some members replaced, and with its digest. */
export function retryPolicyWith(members: object): string {
  const shipped = JSON.parse(readFileSync(retryPolicyPath, 'utf8'))
  const document: JsonObject = { ...shipped, ...members }
  return JSON.stringify({ ...document, policyDigest: policyDigestOf(document, sha256) })
}

/** A failed check is tried once, and its issue is blocked. */
export const oneAttempt = (): string =>
  retryPolicyWith({
    rules: [
      {
        ruleId: 'one_attempt',
        failureClasses: ['check_failed'],
        maxAttempts: 1,
        backoffClass: 'none',
        escalationAction: 'mark_blocked',
      },
    ],
  })
