import type { Answer } from '../../answer.ts'
import { isError } from '../../kernel/spec/document/raw-case.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visibleLines } from '../../kernel/text/visible.ts'
import { seekProject } from '../../project/open.ts'
import {
  byPlace,
  problemJson,
  problemsError,
  problemsMessage,
} from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { reportField, reportRequests } from '../../render/reports/report-field.ts'
import { lintReports } from '../../render/reports/reports.ts'
import { SpecLintAnswer } from '../../wire/answers/spec.ts'
import { operation } from '../operation.ts'

const reportNames = Object.keys(lintReports)

export const specLint = operation({
  group: 'spec',
  summary: 'Check spec documents without running them.',
  description:
    'Checks the text, the shape of every case, its paths, its chain, its expressions and their patterns. Warns about assertions that cannot fail, output that no assertion reads, and unused exports, imports and library symbols. Exits 0 if there is no error, 1 if there is one, and 2 if a document could not be read completely. Warnings do not change the exit code.',
  effect: 'read',
  opId: 'op/spec.lint',
  input: { ...specFields, report: reportField(reportNames) },
  output: SpecLintAnswer,
  examples: {
    'premath spec lint': 'every problem below this folder',
    'premath spec lint "docs/**/*.spec.md" --json': 'the same as JSON',
    'premath spec lint --report sarif=out/specs.sarif': 'the same, with a report for code scanning',
  },

  async run(input, given) {
    const context = seekProject(given)
    const requests = reportRequests(input.report, reportNames, context)
    // The Markdown and YAML readers are large, and help needs neither.
    const { isUnreadable, readSpecs } = await import('../../project/specs/spec-input.ts')
    const { mustNotOverlap: mustBeApart } = await import('../../render/reports/report-places.ts')
    const specs = await readSpecs(input, context)
    await mustBeApart(requests, specs.documents, context)
    const { unexpectedProblems } = await import('../../kernel/spec/lint/expected-failure.ts')
    const { lintWarnings } = await import('../../project/specs/lint-warnings.ts')
    const found = [
      ...specs.documentProblems,
      ...specs.cases.flatMap(raw => unexpectedProblems(raw, specs.problemsOf(raw))),
      ...(await lintWarnings(specs, context)),
    ]
    const problems = found.sort(byPlace)
    const errors = problems.filter(isError).length
    const warnings = problems.length - errors
    const unreadable = isUnreadable(specs)
    const summary = `${counted(specs.cases.length, 'case')}, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`
    const output = {
      action: 'spec.lint',
      documents: specs.documents.length,
      cases: specs.cases.length,
      errors,
      warnings,
      problems: problems.map(problemJson),
    }
    const answer: Answer<typeof output> = {
      output,
      yes: errors === 0,
      ...(unreadable && { exitCode: 2, ...problemsError(problems.filter(isError)) }),
      render: page => {
        const problemsText = problemsMessage(problems, page.columns)
        return `${problemsText === undefined ? '' : `${visibleLines(problemsText)}\n`}${summary}\n`
      },
    }
    const { reported } = await import('../../render/reports/reported.ts')
    const { withReports } = await import('../../render/reports/with-reports.ts')
    const asked = {
      requests,
      reports: lintReports,
      reported: () => reported(output, problems, context),
    }
    return await withReports(answer, asked, context)
  },
})
