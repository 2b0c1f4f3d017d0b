/** Renders verifications that ran again. */
import type { Page } from '../answer.ts'
import type { Json } from '../kernel/json.ts'
import type { Rerun } from '../kernel/proof/rerun.ts'
import { counted } from '../kernel/text/counted.ts'
import { cut } from '../kernel/text/text-width.ts'
import { visible } from '../kernel/text/visible.ts'
import type { RerunProgress } from '../project/proofs/rerun.ts'
import type { Clock } from '../world/world.ts'
import { titledPage } from './titled-page.ts'
import { shortDigest } from './witnesses.ts'

const words = { reproduced: 'reproduced', failed: 'failed', not_rerunnable: 'not rerunnable' }
const inks = { reproduced: 'green', failed: 'red', not_rerunnable: 'yellow' } as const

/** A result that CI signed. */
export interface SignedRerun extends Rerun {
  readonly signedBy?: string
  readonly envelope?: Json
}

export const rerunsPage = (reruns: readonly SignedRerun[], page: Page): string =>
  reruns.map(rerun => rerunLines(rerun, page)).join('')

function rerunLines(rerun: SignedRerun, page: Page): string {
  const { result, issueId, commit, why, lastLines, notes, signedBy } = rerun

  const at = commit === null ? '' : ` on ${shortDigest(commit)}`
  const title = `${page.ink(inks[result], words[result])} ${visible(issueId)}${visible(at)}`
  return titledPage(
    title,
    [
      ...(why === null ? [] : [why]),
      ...lastLines.map(line => `| ${line}`),
      ...notes.map(note => `note: ${note}`),
      ...(signedBy === undefined ? [] : [`signed by ci ${shortDigest(signedBy)}`]),
    ],
    page,
  )
}

/** Such as `3 of 4 verifications reproduced, 1 not rerunnable`. */
export function rerunWords(reruns: readonly Rerun[]): readonly string[] {
  if (reruns.length === 0) return []
  const count = (result: Rerun['result']) => reruns.filter(one => one.result === result).length
  const others = (['failed', 'not_rerunnable'] as const)
    .filter(result => count(result) > 0)
    .map(result => `, ${count(result)} ${words[result]}`)
  const all = counted(reruns.length, 'verification')
  return [`${count('reproduced')} of ${all} reproduced${others.join('')}`]
}

/** The command that runs now, in what room the rest leaves. */
export function rerunLine(progress: RerunProgress, clock: Clock): (page: Page) => string {
  const began = clock.steady()
  return ({ columns }) => {
    const { done, total, issueId, what } = progress
    const seconds = Number((clock.steady() - began) / 1_000_000_000n)
    const before = `  ${done}/${total}  ${seconds} s  `
    return `${before}${cut(visible(`${issueId}: ${what}`), Math.max(0, columns - before.length))}`
  }
}
