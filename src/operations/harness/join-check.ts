import type { ExitCode, Stream } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { flagField, textField } from '../../field.ts'
import { canonicalJson, type Sha256 } from '../../kernel/canonical.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import type { Judgement } from '../../kernel/turn/judge.ts'
import { freeKeys } from '../../kernel/turn/normalize.ts'
import { joinReport, printReport } from '../../kernel/turn/report.ts'
import { type Gate, openGate } from '../../project/gate/gate.ts'
import { type Line, linesOf } from '../../project/lines.ts'
import {
  chunksOf,
  named,
  namingSource,
  readDocument,
  sourceName,
} from '../../project/named-document.ts'
import { openProject } from '../../project/open.ts'
import { verdictPage } from '../../render/harness/verdict-page.ts'
import { union } from '../../wire/shape.ts'
import { JoinReport, UnreadableLine } from '../../wire/turn/join-report.ts'
import { operation } from '../operation.ts'

const action = 'harness-join-check'

export const harnessJoinCheck = operation({
  group: 'gate',
  summary: 'Check whether a turn is complete and may change issue memory.',
  description:
    'Reads the evidence of one turn. The gate checks that every tool call has a result, every result a use, and that the turn obeys its policies. Reports each finding with its failure class, its place in the input and a remedy. Exits 0 if the turn is accepted, 1 if it is rejected, and 2 if the input is not a turn.',
  effect: 'projection',
  opId: 'op/harness.join_check',
  writes: ({ writeWitness }) => writeWitness,
  input: {
    input: textField('file', 'The evidence file in JSON; - reads stdin.', {
      document: true,
      required: true,
      path: true,
      mayBeBare: true,
    }),
    explain: flagField('Show the turn as a table of calls, results and uses.'),
    ndjson: flagField('Read one turn per line and print one report per line, in order.'),
    writeWitness: flagField(
      'Write a witness of the verdict to the project. Changes of issue memory require it.',
    ),
    instruction: textField('id', 'The instruction of the turn, which the witness names.'),
  },
  output: union([JoinReport, UnreadableLine]),
  examples: {
    'premath harness-join-check --input turn.json': 'show the verdict',
    'premath harness-join-check --input turn.json --explain':
      'show which call is open and how to fix it',
    'premath harness-join-check --input - --json < turn.json':
      'print the whole report with normal form and digests',
    'premath harness-join-check --input turns.ndjson --ndjson':
      'print one report per line of a log',
    'premath harness-join-check --input turn.json --write-witness --instruction 20260221T000000Z-fix':
      'write a witness for a change of issue memory',
  },

  async run({ input: path, explain, ndjson, writeWitness, instruction }, context) {
    if (writeWitness && ndjson) {
      throw new Fault('usage', '--write-witness accepts one turn: omit --ndjson')
    }
    if (instruction !== undefined && !writeWitness) {
      throw new Fault('usage', '--instruction requires --write-witness')
    }
    if (explain && ndjson) {
      throw new Fault('usage', '--explain and --ndjson exclude each other: pass one of them')
    }
    if (writeWitness) {
      const { notForWork } = await import('../people-only.ts')
      const inStep = notForWork(action, 'write a witness', context)
      if (inStep) return inStep
    }
    const project = await openProject(context)
    const gate = openGate(context, await project.claims())
    const source = sourceName(path)
    if (ndjson) return judgeLines(chunksOf(path, context), source, gate)
    const { input, judged } = await namingSource(source, async () => {
      const read = parseJson(await readDocument(path, context), { freeKeys })
      return { input: read, judged: await gate.judge(read) }
    })
    const { turn, join } = judged
    const report = joinReport(turn, join, gate.sha256)
    const left = writeWitness
      ? await (await import('../../project/proofs/turn-witness.ts')).storeTurnWitness(
          { input, judged, instructionId: instruction },
          project,
        )
      : undefined
    const toPage = explain
      ? (await import('../../render/harness/explain-page.ts')).explainPage
      : verdictPage
    return {
      output: left === undefined ? report : { ...report, joinWitnessRef: left },
      yes: report.joinClosed,
      ...(left !== undefined && { message: `witness ${left}` }),
      render: page => toPage(report, source, page),
    }
  },
})

/**
 * Reports are written in chunks of about this size. One write per line would cost more than the
 * check.
 */
const pieceChars = 64 * 1024

function judgeLines(chunks: AsyncIterable<Uint8Array>, source: string, gate: Gate): Stream {
  let worst: ExitCode = 0
  let judged = 0
  async function* reports() {
    let piece = ''
    for await (const lines of linesOf(chunks)) {
      for (const line of lines) {
        if (typeof line.text === 'string' && isBlank(line.text)) continue
        const answer = judgeLine(line, gate)
        const { text, exitCode } = answer instanceof Promise ? await answer : answer
        if (exitCode > worst) worst = exitCode
        judged++
        piece += `${text}\n`
        if (piece.length >= pieceChars) {
          yield piece
          piece = ''
        }
      }
      // Flush at the end of each chunk, because the caller may wait for these reports.
      if (piece !== '') yield piece
      piece = ''
    }
    if (judged === 0) {
      throw new Fault('invalid_input', `${source} contains no turn`, {
        hint: 'Pass one turn per line. Empty input is not accepted as a success.',
      })
    }
  }
  return { stream: reports(), exitCode: () => worst }
}

const isBlank = (text: string) => /^[ \t\r]*$/.test(text)

interface LineAnswer {
  readonly text: string
  readonly exitCode: ExitCode
}

function judgeLine(line: Line, gate: Gate): LineAnswer | Promise<LineAnswer> {
  try {
    if (line.text instanceof Fault) throw line.text
    const judged = gate.judge(parseJson(line.text, { freeKeys, line: line.number }))
    return judged instanceof Promise
      ? judged.then(judgement => answerOf(judgement, line.number, gate.sha256))
      : answerOf(judged, line.number, gate.sha256)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'invalid_input') throw error
    return { text: canonicalJson(unreadable(error, line.number) as Json), exitCode: 2 }
  }
}

function answerOf({ turn, join }: Judgement, line: number, sha256: Sha256): LineAnswer {
  return { text: printReport(turn, join, sha256, line), exitCode: join.joinClosed ? 0 : 1 }
}

function unreadable(fault: Fault, line: number): UnreadableLine {
  const { code, hint, detail, message } = named(fault, `line ${line}`)
  return {
    action: 'harness-join-check',
    error: { code, detail, ...(hint !== undefined && { hint }), message },
    failureClasses: [],
    findings: [],
    joinClosed: false,
    line,
    mutationReady: false,
    result: 'rejected',
  }
}
