/** The messages of the commits that premath makes. */
import { clip, trim } from '../text/clean.ts'

interface Work {
  readonly issueId: string
  readonly stepId: string
  readonly title: string
}

/** A longer subject is cut by most tools. */
const subjectCharsMax = 100

/** The commit that lands: the issue's title, and trailers that name issue and step. */
export const candidateMessage = ({ issueId, stepId, title }: Work): string =>
  `${subjectOf(issueId, title)}\n\n${trailers(issueId, stepId)}\n`

/** The commit of what the work left uncommitted, on the branch of the issue. */
export const workMessage = ({ issueId, stepId, title }: Work): string =>
  `Work on ${subjectOf(issueId, title)}\n\n${trailers(issueId, stepId)}\n`

/** Git takes the first line as the subject, so a title must not break it. */
function subjectOf(issueId: string, title: string): string {
  const line = clip(trim(title.replace(/[\s\p{C}]+/gu, ' ')), subjectCharsMax)
  return line === '' ? issueId : `${line} (${issueId})`
}

const trailers = (issueId: string, stepId: string) =>
  `Premath-Issue: ${issueId}\nPremath-Step: ${stepId}`
