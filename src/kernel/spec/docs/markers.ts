/** The generated part of a page, between two comments. Nothing outside of them is changed. */
import { spotIn } from '../../text/spot.ts'

export interface MarkerProblem {
  readonly message: string
  readonly hint: string
}

/** Replaces what lies between the markers with a blank line and the body. */
export function withGenerated(page: string, id: string, body: string): string | MarkerProblem {
  const start = `<!-- GENERATED:START ${id} -->`
  const end = `<!-- GENERATED:END ${id} -->`
  const inside = [start, end].find(marker => body.includes(marker))
  if (inside !== undefined) {
    const hint = 'Change the template or the data: the next run could not find the end.'
    return { message: `the generated text contains the marker ${inside}`, hint }
  }
  const problem = misplaced(page, start, end)
  if (problem !== undefined) return problem
  const before = page.slice(0, page.indexOf(start) + start.length)
  return `${before}\n\n${body.trim()}\n${page.slice(page.indexOf(end))}`
}

function misplaced(page: string, start: string, end: string): MarkerProblem | undefined {
  for (const marker of [start, end]) {
    const at = page.indexOf(marker)
    if (at === -1) {
      const hint = `Add the lines ${start} and ${end} where the text belongs.`
      return { message: `has no marker ${marker}`, hint }
    }
    const again = page.indexOf(marker, at + 1)
    if (again === -1) continue
    const lines = [at, again].map(one => spotIn(page, one).line).join(' and ')
    return { message: `has the marker ${marker} twice, on lines ${lines}`, hint: 'Remove one.' }
  }
  if (page.indexOf(start) < page.indexOf(end)) return undefined
  return { message: `has the marker ${end} before ${start}`, hint: 'Swap the two lines.' }
}
