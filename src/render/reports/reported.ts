/** What every report is made of. */
import type { Problem } from '../../kernel/spec/document/problem.ts'
import type { OperationContext } from '../../project/context.ts'
import { problemJson, problemText, type SpecProblem } from '../../project/specs/problems.ts'
import { checkoutPath } from './checkout-path.ts'

export interface Reported<Json = unknown> {
  /** What `--json` prints. */
  readonly json: Json
  /** Of documents for a run, and of all that was looked at for a lint. */
  readonly problems: readonly ReportedProblem[]
  /** The file as the repository names it. */
  checkoutPath(file: string): string
}

export interface ReportedProblem extends SpecProblem {
  /** The line it is in; empty where it could not be read. */
  readonly lineText: string
  /** What a person is told of it, with a caret. */
  readonly text: string
}

export function reported<Json>(
  json: Json,
  problems: readonly Problem[],
  context: Pick<OperationContext, 'cwd' | 'env'>,
): Reported<Json> {
  return {
    json,
    problems: problems.map(problem => ({
      ...problemJson(problem),
      lineText: problem.place.lineText,
      text: problemText(problem),
    })),
    checkoutPath: file => checkoutPath(file, context),
  }
}
