/** What was, or would be, taken over, for people. */
import { counted } from './counted.ts'
import type { Page } from './operation.ts'
import type { UpdatedDocument, UpdateReport } from './spec-updating.ts'
import { visible, visibleLines } from './visible.ts'

export function updatePage(report: UpdateReport, page: Page): string {
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
