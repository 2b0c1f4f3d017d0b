/** Shapes that many artifacts share. */
import { digest, filledPattern, list, matching } from './shape.ts'

/** Text with something in it. */
export const NonEmpty = matching(filledPattern)
export const Refs = { ...list(NonEmpty), isSet: true } as const
export const Digest = digest('sha256:')
export const PolicyDigest = digest('pol1_')
/** The full id of a git commit or tree, by SHA-1 or SHA-256. */
export const GitId = matching('^(?:[0-9a-f]{40}|[0-9a-f]{64})$')
const leapDay =
  '(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29'
const days31 = '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])'
const days30 = '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)'
const days28 = '(?:02)-(?:0[1-9]|1\\d|2[0-8])'
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?'
const offset = '(?:Z|([+-](?:[01]\\d|2[0-3]):[0-5]\\d))'

/** RFC 3339, with an offset or `Z`. */
export const Timestamp = {
  is: 'text',
  format: 'date-time',
  pattern: `^(?:${leapDay}|\\d{4}-(?:${days31}|${days30}|${days28}))T(?:${time}${offset})$`,
} as const
