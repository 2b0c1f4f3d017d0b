import type { Page } from '../../answer.ts'
import { textField } from '../../field.ts'
import { jobsField, mustAllowJobs } from '../../input/spec-run-flags.ts'
import { readVariables, variableFields } from '../../input/spec-variables.ts'
import { expectedOutcome } from '../../kernel/spec/case/expect.ts'
import { declaredCapabilities, ownImplementation } from '../../kernel/spec/case/requires.ts'
import { disagreements } from '../../kernel/spec/conform.ts'
import { isError } from '../../kernel/spec/document/raw-case.ts'
import { visible } from '../../kernel/text/visible.ts'
import { seekProject } from '../../project/open.ts'
import { problemJson, problemsMessage } from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import type { PlannedOutcome } from '../../runner/run-plan.ts'
import { SpecConformance } from '../../wire/spec/spec-report.ts'
import { operation } from '../operation.ts'

export const specConform = operation({
  group: 'spec',
  summary: 'Compare the outcome of cases with what they expect.',
  description:
    'Runs cases as spec run does and compares the status, category and message of each with its expect: the portable part and the part for this implementation. A case that requires an undeclared capability is skipped or fails, as the case says. Exits 0 if all agree, 1 if one differs or there is no case, and 2 if a document could not be read completely. Specs are trusted: see premath spec run --help.',
  effect: 'read',
  opId: 'op/spec.conform',
  input: {
    ...specFields,
    impl: textField('name', 'The implementation whose expectations apply.', {
      default: ownImplementation,
    }),
    capability: textField('name', 'An additional capability to declare.', { many: true }),
    ...jobsField,
    ...variableFields,
  },
  output: SpecConformance,
  examples: {
    'premath spec conform docs/spec/conformance': 'whether this runner conforms to a suite',
    'premath spec conform cases --impl python --capability evaluate.spec_lang.ramda.v1 --json':
      'the same with the expectations of another implementation',
  },

  async run(input, given) {
    const context = seekProject(given)
    mustAllowJobs(input.jobs)
    const variables = readVariables(input, context)
    const { isUnreadable, readSpecs } = await import('../../project/specs/spec-input.ts')
    const { executable, runSpecs } = await import('../../project/specs/outcomes.ts')
    const { impl, capability, jobs } = input
    const specs = await readSpecs(input, context)
    const cases = executable(specs.cases)
    const capabilities = new Set([...declaredCapabilities, ...capability])
    const offer = { implementation: impl, capabilities }
    const { outcomes } = await runSpecs(
      specs,
      { cases, offer, jobs, failFast: false, variables, ignoresExpect: true },
      context,
    )
    const results = outcomes.flatMap(one => judged(one, impl))
    const agreed = results.filter(one => one.agreed).length
    // No case is not a pass.
    const isGood = agreed === outcomes.length && agreed > 0
    const problems = specs.documentProblems.filter(isError)
    const report: SpecConformance = {
      action: 'spec.conform',
      result: isGood && problems.length === 0 ? 'accepted' : 'rejected',
      implementation: impl,
      agreed,
      total: outcomes.length,
      results,
      problems: problems.map(problemJson),
    }
    const message = problemsMessage(problems)
    return {
      output: report,
      yes: isGood,
      ...(isUnreadable(specs) && { exitCode: 2 as const }),
      ...(message !== undefined && { message }),
      render: page => conformPage(report, page),
    }
  },
})

type Judged = SpecConformance['results'][number]

function judged({ raw, outcome }: PlannedOutcome, implementation: string): Judged[] {
  if (outcome === undefined) return []
  const { status, failure } = outcome
  const { category = null, message = null } = failure ?? {}
  const expected = expectedOutcome(raw, implementation)
  const actual = { status, category, message }
  const differences = disagreements(expected, actual)
  return [
    {
      id: raw.id,
      file: raw.file,
      line: raw.line,
      agreed: differences.length === 0,
      expected: expected ? { ...expected, messageTokens: [...expected.messageTokens] } : null,
      actual,
      disagreements: [...differences],
    },
  ]
}

function conformPage({ results, agreed, total }: SpecConformance, page: Page): string {
  const lines = results
    .filter(one => !one.agreed)
    .flatMap(({ id, file, line, disagreements: differences, actual }) => [
      `${page.ink('red', 'FAIL')} ${page.ink('bold', visible(id))}  ${visible(file)}:${line}`,
      ...differences.map(one => `  ${visible(one)}`),
      ...(actual.message === null ? [] : [`  message: ${visible(actual.message)}`]),
    ])
  return `${[...lines, `${agreed} of ${total} agreed`].join('\n')}\n`
}
