import type { Page } from '../../answer.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import { problemsTalk } from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { operation } from '../operation.ts'
import type { UpdatedDocument, UpdateReport } from '../spec-updating.ts'

export const specUpdate = operation({
  group: 'spec',
  summary: 'Accept new output of commands into spec documents.',
  description:
    'Runs cases and shows, for those that fail, what would have to stand in the document: an exit_code, a text that stdout or stderr must contain or equal. Writes it with --yes, and nothing but those values; then runs the cases again, and puts a document back where one still fails. A case whose expect says that it fails is left alone. What it cannot decide it tells. Exits 0 when nothing is left to do, 1 when there is, 2 when a document could not be read, and 3 when one could not be written; the others are written all the same. Specs are trusted: see premath spec run --help.',
  effect: 'projection',
  input: {
    ...specFields,
    filter: {
      type: 'text',
      describe: 'Only cases that have this in their id, title or path.',
      placeholder: 'text',
    },
    yes: { type: 'flag', describe: 'Write what is shown.' },
    check: { type: 'flag', describe: 'Write nothing, whatever else is said.' },
  },
  examples: [
    { command: 'premath spec update', shows: 'what new output would change, as a diff' },
    { command: 'premath spec update docs --yes', shows: 'the same, written and run again' },
    {
      command: 'premath spec update --filter LIST-1 --yes --json',
      shows: 'one case, for a program',
    },
  ],

  async run(input, context) {
    // The readers of Markdown and YAML are large, and help needs neither.
    const { updateSpecs } = await import('../spec-updating.ts')
    const { exitCodeOf, leftTalk } = await import('../../project/specs/document-file.ts')
    const { report, problems, left } = await updateSpecs(input, context)
    const talk = [problemsTalk(problems), ...leftTalk(left)].filter(one => one !== undefined)
    const exitCode = exitCodeOf(problems, left)
    return {
      output: report,
      yes: report.result === 'accepted',
      ...(exitCode !== undefined && { exitCode }),
      ...(talk.length > 0 && { talk: talk.join('\n') }),
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

const inks = { '+': 'green', '-': 'red', '@': 'cyan' } as const

function inked({ diff }: UpdatedDocument, page: Page): string {
  const lines = diff.trimEnd().split('\n')
  return lines
    .map(line => {
      const ink = inks[line.charAt(0) as keyof typeof inks]
      return ink === undefined ? visible(line) : page.ink(ink, visible(line))
    })
    .join('\n')
}

function summary({ cases, failed, updated, documents, refused }: UpdateReport): string {
  if (failed === 0) return `${counted(cases, 'case')}, none failed: there is nothing to update`
  const shown = documents.filter(({ state }) => state === 'shown').length
  const parts = [
    `${failed} of ${counted(cases, 'case')} failed`,
    ...(updated.length > 0 ? [`${updated.length} updated`] : []),
    ...(refused.length > 0 ? [`${refused.length} left as they are`] : []),
    ...(shown > 0 ? ['nothing was written: --yes writes what is shown'] : []),
  ]
  return parts.join(', ')
}
