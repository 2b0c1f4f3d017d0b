import { flagField, textField } from '../../field.ts'
import { readVariables, variableFields } from '../../input/spec-variables.ts'
import { seekProject } from '../../project/open.ts'
import { problemsMessage } from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { SpecExplainAnswer } from '../../wire/answers/spec.ts'
import { operation } from '../operation.ts'

const { path, ...otherFields } = specFields

export const specExplain = operation({
  group: 'spec',
  summary: 'Explain how a case is evaluated.',
  description:
    'Shows its place, the chain in run order, every predicate with its expanded shorthand, the subjects, budgets and capabilities. Nothing runs without --run. With --run it also shows the subjects, shortened, and whether each predicate holds. Exits 1 if the case cannot run or, with --run, fails.',
  effect: 'read',
  opId: 'op/spec.explain',
  input: {
    case: textField('case', 'The id of a case, or <document>#<id>.', {
      positional: true,
      required: true,
    }),
    path: { ...path, describe: 'The paths to search; default the working folder.' },
    run: flagField('Run the case and its chain.'),
    ...otherFields,
    ...variableFields,
  },
  output: SpecExplainAnswer,
  examples: {
    'premath spec explain LOGIN-1': 'the assertions of LOGIN-1, predicate by predicate',
    'premath spec explain docs/login.spec.md#LOGIN-1 --run': 'the same with the actual values',
  },

  async run(input, given) {
    const context = seekProject(given)
    // The Markdown and YAML readers are large, and help needs neither.
    const variables = readVariables(input, context)
    const { caseNamed } = await import('../../project/specs/case-named.ts')
    const { explainCase, ranCase } = await import('../../project/specs/explanation.ts')
    const { explanationPage } = await import('../../render/specs/explanation-page.ts')
    const { specs, raw } = await caseNamed(input, context)
    const { explanation, problems } = await explainCase(raw, specs, context)
    const ran = input.run ? await ranCase(raw, { specs, variables }, context) : undefined
    const message = problemsMessage(problems)
    return {
      output: { ...explanation, ...(ran && { run: ran }) },
      yes: problems.length === 0 && ran?.status !== 'fail',
      ...(message !== undefined && { message }),
      render: page => explanationPage(explanation, ran, page),
    }
  },
})
