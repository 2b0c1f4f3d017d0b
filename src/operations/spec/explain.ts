import { problemsTalk } from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { operation } from '../operation.ts'

const { path, ...otherFields } = specFields

export const specExplain = operation({
  group: 'spec',
  summary: 'Show what a case comes to when it is run.',
  description:
    'Shows its place, the chain as it will run, every predicate with what its sugar stands for, the subjects they look at, budgets and capabilities. Nothing is run without --run; with it the subjects as they were, shortened, and whether each predicate holds. Exits 1 when the case cannot be run or, with --run, fails.',
  effect: 'read',
  input: {
    case: {
      type: 'text',
      describe: 'The id of a case, or the path of its document, # and the id.',
      placeholder: 'case',
      positional: true,
      required: true,
    },
    path: { ...path, describe: 'Where to look for it; this folder when left out.' },
    run: { type: 'flag', describe: 'Run it too, and what its chain needs.' },
    ...otherFields,
  },
  examples: [
    {
      command: 'premath spec explain LOGIN-1',
      shows: 'what LOGIN-1 asserts, predicate by predicate',
    },
    {
      command: 'premath spec explain docs/login.spec.md#LOGIN-1 --run',
      shows: 'the same, with what was there when it ran',
    },
  ],

  async run(input, context) {
    // The readers of Markdown and YAML are large, and help needs neither.
    const { caseNamed } = await import('../../project/specs/case-named.ts')
    const { explainCase, ranCase } = await import('../../project/specs/explanation.ts')
    const { explanationPage } = await import('../../render/specs/explanation-page.ts')
    const { specs, raw } = await caseNamed(input, context)
    const { explanation, problems } = await explainCase(raw, specs, context)
    const ran = input.run ? await ranCase(raw, specs, context) : undefined
    const talk = problemsTalk(problems)
    return {
      output: { ...explanation, ...(ran && { run: ran }) },
      yes: problems.length === 0 && ran?.status !== 'fail',
      ...(talk !== undefined && { talk }),
      render: page => explanationPage(explanation, ran, page),
    }
  },
})
