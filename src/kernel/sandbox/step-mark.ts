/** The read-only file by which premath knows in the sandbox that it runs inside of a step. */
import { isJsonObject, type Json, jsonIn } from '../json.ts'
import { isBelow } from './bubblewrap.ts'

export const stepMarkPath = '/run/premath-step.json'

export interface StepMark {
  readonly stepId: string
  /** The project of the step. */
  readonly root: string
  /** The folder in which its commands run. */
  readonly worktree: string
}

export const printMark = (mark: StepMark): string => `${JSON.stringify(mark)}\n`

/**
 * The step that a command in this folder belongs to. Tests of the work may have projects of their own
 * in other folders, and these know nothing of the step.
 */
export function stepAt(
  text: string,
  {
    cwd,
    env,
  }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): string | undefined {
  const mark = jsonIn(text)
  const member = (name: string): Json | undefined => (isJsonObject(mark) ? mark[name] : undefined)
  const [stepId, root, worktree] = [member('stepId'), member('root'), member('worktree')]
  const isHere = [root, worktree].some(one => typeof one !== 'string' || isBelow(one, cwd))
  if (!isHere && env['PREMATH_ROOT'] !== root) return undefined
  return typeof stepId === 'string' && stepId !== '' ? stepId : 'step'
}
