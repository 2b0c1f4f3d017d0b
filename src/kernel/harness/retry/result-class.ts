/** Interprets the result class of a step: success, failure, or retry needed. */

/** Result classes are compared without case, and `-` equals `_`. */
const comparable = (resultClass: string) => resultClass.trim().toLowerCase().replaceAll('-', '_')

const successes: ReadonlySet<string> = new Set([
  'accepted',
  'verified_accept',
  'completed',
  'success',
  'ok',
  'passed',
])

export const isSuccess = (resultClass: string): boolean => successes.has(comparable(resultClass))

const retryWords = ['retry', 'transient', 'timeout', 'network', 'rate_limit']

export function isRetryNeeded(resultClass: string): boolean {
  const compared = comparable(resultClass)
  return retryWords.some(word => compared.includes(word))
}
