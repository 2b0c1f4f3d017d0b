/** Long texts, cut to what a message has room for. */

const charsMax = 400
const aroundChars = 120

/** The start and the end. */
export function shortened(text: string): string {
  if (text.length <= charsMax) return JSON.stringify(text)
  const half = charsMax >> 1
  const cut = text.length - 2 * half
  return `${JSON.stringify(text.slice(0, half))} … ${cut} characters … ${JSON.stringify(text.slice(-half))}`
}

/** Around the place where it begins to differ from what was wanted. */
export function shortenedAround(text: string, wanted: string): string {
  if (text.length <= charsMax) return JSON.stringify(text)
  const at = likelyPlace(text, wanted)
  if (at === undefined) return shortened(text)
  const start = Math.max(0, at - aroundChars)
  const end = Math.min(text.length, at + wanted.length + aroundChars)
  const before = start > 0 ? `… ${start} characters … ` : ''
  const after = end < text.length ? ` … ${text.length - end} characters …` : ''
  return `${before}${JSON.stringify(text.slice(start, Math.min(end, start + charsMax)))}${after}`
}

/** Where the longest beginning of what was wanted stands. */
function likelyPlace(text: string, wanted: string): number | undefined {
  for (let length = Math.min(wanted.length, 64); length >= 4; length >>= 1) {
    const at = text.indexOf(wanted.slice(0, length))
    if (at >= 0) return at
  }
  return undefined
}
