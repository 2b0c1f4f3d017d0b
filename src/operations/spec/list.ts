import { textsIn } from '../../kernel/spec/case/requires.ts'
import { isError, type RawCase } from '../../kernel/spec/document/raw-case.ts'
import { seekProject } from '../../project/open.ts'
import {
  byPlace,
  problemJson,
  problemsError,
  problemsMessage,
} from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { countLine, table } from '../../render/table.ts'
import { SpecListAnswer } from '../../wire/answers/spec.ts'
import { operation } from '../operation.ts'

export const specList = operation({
  group: 'spec',
  summary: 'List the cases of spec documents.',
  description:
    'Cases are the yaml spec-test and console blocks of *.spec.md documents. Nothing runs. Errors are reported with their place; exits 2 if a document could not be read completely.',
  effect: 'read',
  opId: 'op/spec.list',
  input: specFields,
  output: SpecListAnswer,
  examples: {
    'premath spec list': 'every case below this folder',
    'premath spec list docs/login.spec.md --json': 'the cases of one document',
  },

  async run(input, given) {
    const context = seekProject(given)
    // The Markdown and YAML readers are large, and help needs neither.
    const { isUnreadable, readSpecs } = await import('../../project/specs/spec-input.ts')
    const specs = await readSpecs(input, context)
    const cases = specs.cases.map(listed)
    const { unexpectedProblems } = await import('../../kernel/spec/lint/expected-failure.ts')
    const problems = [
      ...specs.documentProblems,
      ...specs.cases.flatMap(raw => unexpectedProblems(raw, specs.problemsOf(raw))),
    ]
    const errors = problems.filter(isError).sort(byPlace)
    const message = problemsMessage(errors)
    const unreadable = isUnreadable(specs)
    return {
      output: {
        action: 'spec.list',
        count: cases.length,
        cases,
        problems: errors.map(problemJson),
      },
      yes: !unreadable,
      ...(unreadable && { exitCode: 2 as const, ...problemsError(errors) }),
      ...(message !== undefined && { message }),
      render: page =>
        table(
          ['id', 'type', 'place', 'tags', 'title'],
          cases.map(one => [
            one.id,
            one.type,
            `${one.file}:${one.line}`,
            one.tags.join(' '),
            one.title,
          ]),
          page,
          ['tags', 'title', 'type'],
          // People copy the place, so it is never cut.
          ['place'],
        ) + countLine({ count: cases.length }, 'case', page),
    }
  },
})

function listed({ id, type, file, line, value }: RawCase) {
  const title = value.get('title')
  return {
    id,
    type,
    title: typeof title === 'string' ? title : '',
    file,
    line,
    tags: textsIn(value, 'tags'),
  }
}
