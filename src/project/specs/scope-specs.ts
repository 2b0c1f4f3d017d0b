/** Loads and lints specs without running them, for a start of the harness. */
import { Fault } from '../../fault.ts'
import { isError } from '../../kernel/spec/document/raw-case.ts'
import { type Project, seekProject } from '../open.ts'
import { problemText } from './problems.ts'

const errorsMax = 20

export async function specErrors(
  paths: readonly string[],
  project: Project,
): Promise<readonly string[]> {
  // The Markdown and YAML readers are large, and most starts need neither.
  const { readSpecs } = await import('./spec-input.ts')
  const { unexpectedProblems } = await import('../../kernel/spec/lint/expected-failure.ts')
  const input = { path: paths.map(path => project.at(path)), format: [], root: undefined }
  try {
    const specs = await readSpecs(input, seekProject(project))
    const found = [
      ...specs.documentProblems,
      ...specs.cases.flatMap(raw => unexpectedProblems(raw, specs.problemsOf(raw))),
    ]
    return found
      .filter(isError)
      .slice(0, errorsMax)
      .map(one => problemText(one))
  } catch (error) {
    // A spec that is missing is a finding about the issue, and the start goes on to report it.
    if (!(error instanceof Fault)) throw error
    return [error.message]
  }
}
