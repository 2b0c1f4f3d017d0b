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

interface RevertWords {
  readonly issueId: string
  readonly stepId: string
  /** The subject of the commit that is reverted. */
  readonly subject: string
  readonly landed: string
  readonly reason: string | undefined
}

/** The commit that reverts another, in the words of git. */
export function revertMessage({ issueId, stepId, subject, landed, reason }: RevertWords): string {
  const why = trim((reason ?? '').replace(/\p{C}+/gu, ' '))
  const body = [`This reverts commit ${landed}.`, ...(why === '' ? [] : [why])]
  return `Revert "${oneLine(subject)}"\n\n${body.join('\n\n')}\n\n${trailers(issueId, stepId)}\n`
}

/** Git takes the first line as the subject, so a title must not break it. */
function subjectOf(issueId: string, title: string): string {
  const line = oneLine(title)
  return line === '' ? issueId : `${line} (${issueId})`
}

const oneLine = (text: string) => clip(trim(text.replace(/[\s\p{C}]+/gu, ' ')), subjectCharsMax)

const trailers = (issueId: string, stepId: string) =>
  `Premath-Issue: ${issueId}\nPremath-Step: ${stepId}`
