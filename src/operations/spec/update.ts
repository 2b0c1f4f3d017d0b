import type { Page } from '../../answer.ts'
import { flagField, textField } from '../../field.ts'
import { variableFields } from '../../input/spec-variables.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import { seekProject } from '../../project/open.ts'
import { problemsMessage } from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { inkedDiff } from '../../render/specs/inked-diff.ts'
import { SpecUpdateAnswer } from '../../wire/answers/spec.ts'
import { operation } from '../operation.ts'
import type { UpdatedDocument, UpdateReport } from '../spec-updating.ts'

export const specUpdate = operation({
  group: 'spec',
  summary: 'Accept new output of commands into spec documents.',
  description:
    'Runs cases and shows, for failing ones, the values that would make them pass: an exit_code, a text that the output must contain or equal, or the lines it must have. Marked lines that still match stay. With --yes it writes only those values, runs the cases again, and restores a document in which one still fails. A case that expects to fail is skipped. Cases it cannot decide are reported. Exits 0 if nothing is left to do, 1 if something is, 2 if a document could not be read, and 3 if one could not be written; the others are still written. Specs are trusted: see premath spec run --help.',
  effect: 'projection',
  opId: 'op/spec.update',
  input: {
    ...specFields,
    filter: textField('text', 'Only cases with this text in their id, title or path.'),
    yes: flagField('Write the changes.'),
    check: flagField('Write nothing, even with --yes.'),
    ...variableFields,
  },
  output: SpecUpdateAnswer,
  examples: {
    'premath spec update': 'the changes as a diff',
    'premath spec update docs --yes': 'the same, written and run again',
    'premath spec update --filter LIST-1 --yes --json': 'one case, as JSON',
  },

  async run(input, given) {
    const context = seekProject(given)
    // The Markdown and YAML readers are large, and help needs neither.
    const { updateSpecs } = await import('../spec-updating.ts')
    const { errorOf, exitCodeOf, unwrittenMessages } = await import(
      '../../project/specs/document-file.ts'
    )
    const { report, problems, left } = await updateSpecs(input, context)
    const messages = [problemsMessage(problems), ...unwrittenMessages(left)].filter(
      one => one !== undefined,
    )
    const exitCode = exitCodeOf(problems, left)
    return {
      output: report,
      yes: report.result === 'accepted',
      ...(exitCode !== undefined && { exitCode, ...errorOf(problems, left) }),
      ...(messages.length > 0 && { message: messages.join('\n') }),
      render: page => updatePage(report, page),
    }
  },
})

function updatePage(report: UpdateReport, page: Page): string {
  const { documents, refused } = report
  const lines = [
    ...documents.map(document => inked(document, page)),
    ...refused.flatMap(({ id, file, line, why }) => [
      `${page.ink('red', 'left')} ${page.ink('bold', visible(id))}  ${visible(file)}:${line}`,
      ...why.flatMap(one => visibleLines(one).split('\n')).map(one => `  ${one}`),
    ]),
    summary(report),
  ]
  return `${lines.join('\n')}\n`
}

function inked({ diff }: UpdatedDocument, page: Page): string {
  const lines = visibleLines(diff).trimEnd().split('\n')
  return lines.map(line => inkedDiff(line, page)).join('\n')
}

function summary({ cases, failed, updated, documents, refused }: UpdateReport): string {
  if (failed === 0) return `${counted(cases, 'case')}, none failed: nothing to update`
  const shown = documents.filter(({ state }) => state === 'shown').length
  const parts = [
    `${failed} of ${counted(cases, 'case')} failed`,
    ...(updated.length > 0 ? [`${updated.length} updated`] : []),
    ...(refused.length > 0 ? [`${refused.length} unchanged`] : []),
    ...(shown > 0 ? ['nothing written: --yes writes the changes'] : []),
  ]
  return parts.join(', ')
}
