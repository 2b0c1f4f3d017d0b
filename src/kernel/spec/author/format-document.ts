/** Formats every block of a document and changes nothing else. */
import { isError, type Problem } from '../document/raw-case.ts'
import { readDocument, type SpecDocument } from '../document/read-document.ts'
import { sourceText } from '../document/source-text.ts'
import { yamlNodes } from '../document/yaml-nodes.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import { type CaseBlock, caseBlocks, isMarkdown, withBlockText } from './case-block.ts'
import { formatBlock } from './format-block.ts'

interface FormattedDocument {
  readonly text: string
  /** Why blocks were left unchanged. */
  readonly problems: readonly Problem[]
}

export function formatDocument(text: string, file: string): FormattedDocument {
  const { problems: found, cases } = readDocument(text, file)
  const problems = [...found, ...cases.flatMap(one => one.problems)].filter(isError)
  // JSON is left to other tools. Most Markdown files contain no case.
  if (/\.json$/i.test(file) || (isMarkdown(file) && !/spec-test/i.test(text))) {
    return { text, problems }
  }
  const source = sourceText(text, file)
  let formatted = text
  // Back to front, so that earlier offsets stay valid.
  for (const block of [...caseBlocks(text, file)].reverse()) {
    // The text of a console block is its layout.
    if (block.isConsole || isBroken(block, problems)) continue
    const next = formatBlock(block.text)
    const whole = next === undefined ? undefined : withBlockText(formatted, block, next)
    if (block.before !== undefined && whole !== undefined && saysTheSame(formatted, whole, file)) {
      formatted = whole
    } else problems.push({ place: source.place(block.firstLine, 0), ...leftAlone })
  }
  return { text: formatted, problems: problems.sort((a, b) => a.place.line - b.place.line) }
}

/** A block with an error may not mean what it seems to. */
function isBroken({ text, firstLine }: CaseBlock, problems: readonly Problem[]): boolean {
  const end = firstLine + text.split('\n').length
  const isWithin = ({ place }: Problem) => place.line >= firstLine && place.line <= end
  return problems.some(isWithin) || yamlNodes(text).root === null
}

const leftAlone: Omit<Problem, 'place'> = {
  code: 'format.left_alone',
  message: 'premath cannot format this block without changing its meaning, and leaves it unchanged',
  hint: 'Check for tabs at the start of lines and for comments in unusual places.',
}

/** Checked before writing: formatting must not change the meaning. */
function saysTheSame(text: string, next: string, file: string): boolean {
  // To read a whole document for each of its blocks takes long; most blocks have their layout.
  return text === next || meaning(readDocument(text, file)) === meaning(readDocument(next, file))
}

const meaning = ({ cases, problems }: SpecDocument): string =>
  JSON.stringify([
    problems.map(({ code }) => code),
    cases.map(({ value, problems: own }) => [
      own.length,
      printText(new Map([...value].sort(byName)), unlimitedMeter()),
    ]),
  ])

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  a < b ? -1 : 1
