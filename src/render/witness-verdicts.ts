/** Renders the verdicts on proofs and witnesses. */

import type { ExitCode, Page } from '../answer.ts'
import { exitCodeOf } from '../kernel/proof/proof-classes.ts'
import { type Rerun, rerunFindings } from '../kernel/proof/rerun.ts'
import { counted } from '../kernel/text/counted.ts'
import { visible } from '../kernel/text/visible.ts'
import type { LinkSignature } from '../project/proofs/link-signatures.ts'
import type { Verdict } from '../project/proofs/witness-verdict.ts'
import { titledPage } from './titled-page.ts'
import { classesOf, findingLine, resultInk, shortDigest } from './witnesses.ts'

interface VerdictsReport {
  readonly count: number
  readonly failureClasses: readonly string[]
  readonly items: readonly Verdict[]
  readonly result: 'accepted' | 'rejected' | 'broken'
  readonly exitCode: ExitCode
}

export function verdictsReport(
  verdicts: readonly Verdict[],
  reruns: readonly Rerun[] = [],
): VerdictsReport {
  const findings = [
    ...verdicts.flatMap(verdict => verdict.findings),
    ...reruns.flatMap(rerunFindings),
  ]
  const exitCode = exitCodeOf(findings)
  return {
    count: verdicts.length,
    failureClasses: classesOf(findings),
    items: verdicts,
    result: exitCode === 0 ? 'accepted' : exitCode === 5 ? 'broken' : 'rejected',
    exitCode,
  }
}

/** With many verdicts, a person wants only the failed ones. */
export function verdictsPage(
  verdicts: readonly Verdict[],
  which: 'all' | 'failed',
  page: Page,
): string {
  const shown = which === 'all' ? verdicts : verdicts.filter(({ result }) => result !== 'accepted')
  return shown.map(verdict => verdictLines(verdict, page)).join('')
}

/** Such as `5 of 6 items verified, 1 closed by force`. */
export const verifiedLine = (verdicts: readonly Verdict[]): string =>
  `${verifiedCount(verdicts)} of ${counted(verdicts.length, 'item')} verified${unprovenWords(verdicts)}`

/** Accepted without proof, so that nobody reads them as verified. */
export function unprovenWords(verdicts: readonly Verdict[]): string {
  const forced = verdicts.filter(isForced).length
  const imported = verdicts.filter(isImported).length
  return [
    ...(forced > 0 ? [`, ${forced} closed by force`] : []),
    ...(imported > 0 ? [`, ${imported} imported as closed`] : []),
  ].join('')
}

export const verifiedCount = (verdicts: readonly Verdict[]): number =>
  verdicts.filter(isVerified).length

const isForced = ({ closedBy }: Verdict) => closedBy?.by === 'force'
const isImported = ({ kind }: Verdict) => kind === 'imported'
const isVerified = (verdict: Verdict) =>
  verdict.result === 'accepted' && !isForced(verdict) && !isImported(verdict)

function verdictLines(verdict: Verdict, page: Page): string {
  const {
    kind,
    name,
    digest,
    result,
    findings,
    others = [],
    beside = [],
    closedBy,
    confirmedBy,
  } = verdict
  const short = digest ? ` ${shortDigest(digest)}` : ''
  const title = `${resultInk(result, page)} ${kind} ${visible(name)}${short}${visible(forcedWords(closedBy))}`
  const wrong = beside.flatMap(one =>
    one.findings.map(found => `beside it, ${one.result}: ${findingLine(found)}`),
  )
  const signed = [
    ...(verdict.signatures ?? []).map(signatureLine),
    ...(confirmedBy ? [`confirmed: ${confirmedBy.actor}, user id ${confirmedBy.uid}`] : []),
  ]
  const closes = others.map(one => `of another close: ${one}`)
  return titledPage(title, [...findings.map(findingLine), ...signed, ...closes, ...wrong], page)
}

const signatureLine = ({ link, signedBy }: LinkSignature) => {
  const by = signedBy ? `signed by ${signedBy.role} ${shortDigest(signedBy.keyId)}` : 'unsigned'
  return `${link === 'chain' ? 'close' : link}: ${by}`
}

/** The first line must say that nothing was verified. */
const forcedWords = (closedBy: Verdict['closedBy']) =>
  closedBy?.by === 'force' ? `, closed by force: ${closedBy.reason ?? 'no reason'}` : ''
