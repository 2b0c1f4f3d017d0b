/** Asks before an issue gets allowances: they let its work change what judges it. */
import type { Allowances } from '../../kernel/issues/allowances.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import type { Project } from '../open.ts'
import { type Asking, instructionIn, stepWorkRefusal } from './authority.ts'

/**
 * `undefined` where none are given. `issue` names it for the question. Nobody is asked before
 * allowances are taken away, nor under an instruction, for which the store refuses them.
 */
export async function confirmedAllowances(
  allowances: Partial<Allowances> | undefined,
  issue: string,
  asking: Asking,
  project: Project,
): Promise<Partial<Allowances> | undefined | IssueRefusal> {
  if (allowances === undefined) return undefined
  const what = 'set what work may change'
  const inStep = stepWorkRefusal(what, project)
  const words = wordsOf(allowances)
  if (inStep || words === '' || instructionIn(asking, project) !== undefined) {
    return inStep ?? allowances
  }
  const { askOverride } = await import('./override.ts')
  const question = `Let the work of ${issue} ${words}?`
  const confirmedBy = await askOverride({ what, question }, project)
  return isRefusal(confirmedBy) ? confirmedBy : { ...allowances, confirmedBy }
}

/** Blank where the allowances only end others. */
function wordsOf({ mayChange = [], writesSpecs }: Partial<Allowances>): string {
  const patterns = mayChange.filter(pattern => pattern.trim() !== '')
  const parts = [
    ...(patterns.length > 0 ? [`change ${patterns.join(', ')}`] : []),
    ...(writesSpecs ? ['write its own specs'] : []),
  ]
  return parts.join(' and ')
}
