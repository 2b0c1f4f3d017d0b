/** The common input of all reports. */
import type { Problem } from '../../kernel/spec/document/raw-case.ts'
import type { OperationContext } from '../../project/context.ts'
import { problemJson, problemText } from '../../project/specs/problems.ts'
import { absolutePath } from '../../runner/runner-world.ts'
import type { SpecProblem } from '../../wire/spec/spec-report.ts'

export interface Reported<Json = unknown> {
  /** The output of `--json`. */
  readonly json: Json
  /** Problems of documents for a run, and all problems for lint. */
  readonly problems: readonly ReportedProblem[]
  /** The file as the repository names it. */
  checkoutPath(file: string): string
}

export interface ReportedProblem extends SpecProblem {
  /** The line it is in; empty where it could not be read. */
  readonly lineText: string
  /** The text with a caret. */
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

/** Below the checkout where CI says where that is, else below the working folder. */
function checkoutPath(file: string, { cwd, env }: Pick<OperationContext, 'cwd' | 'env'>): string {
  const path = absolutePath(file, { cwd })
  const checkout = env['GITHUB_WORKSPACE']
  const tops = [...(checkout ? [checkout] : []), cwd()].map(top => top.replace(/\/*$/, '/'))
  const top = tops.find(one => path.startsWith(one))
  return top === undefined ? path : path.slice(top.length)
}
