import { describe, expect, test } from 'vitest'
import type { Feedback, StepFailure } from '../../wire/harness/feedback.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import {
  failureMembers,
  feedbackOf,
  feedbackText,
  lastFailure,
  lastLines,
  outputLines,
  outputRef,
  shownLines,
  shownOutput,
} from './feedback.ts'
import { stopAction } from './step/step-row.ts'

const row = (resultClass: string, more: Partial<StepRow> = {}): StepRow => ({
  schema: 1,
  stepKind: 'premath.harness.step.v1',
  stepId: 'w.bd-1.1.1',
  action: 'harness.step',
  resultClass,
  instructionRefs: [],
  witnessRefs: [],
  lineageRefs: [],
  finishedAt: '2026-02-22T12:00:00Z',
  failureClasses: [resultClass.replace('retry_needed_', '')],
  summary: 'the verification ended with exit code 1',
  ...more,
})

const failure: StepFailure = {
  command: { phase: 'verify', command: 'npm test', exitCode: 1, timedOut: false },
  lines: ['1 failed', 'Error: no'],
  output: ['a/s/verify.stdout', 'a/s/verify.stderr'],
  findings: [],
}

const feedback = (more: Partial<Feedback> = {}): Feedback => ({
  ...feedbackOf(row('check_failed'), failure),
  ...more,
})

describe('the last failure', () => {
  const failed = row('retry_needed_check_failed')

  test('is the last attempt, if it failed', () => {
    expect(lastFailure([failed, row('completed')])).toBe(failed)
    expect(lastFailure([row('completed'), failed])).toBeUndefined()
    expect(lastFailure([])).toBeUndefined()
  })

  test.each(['interrupted_by_signal', 'retry_needed_interrupted', 'lease_lost', 'worktree_gone'])(
    'is not hidden by an attempt that was cut off: %s',
    resultClass => {
      expect(lastFailure([row(resultClass), failed])).toBe(failed)
      expect(lastFailure([row(resultClass)])).toBeUndefined()
    },
  )

  test('is not hidden by the row of a handoff', () => {
    const stop = row('stopped', { action: stopAction, failureClasses: undefined })
    expect(lastFailure([stop, failed])).toBe(failed)
  })

  test('without its file is what the row says', () => {
    expect(feedbackOf(row('check_failed', { summary: 3 }), undefined)).toEqual({
      stepId: 'w.bd-1.1.1',
      failureClasses: ['check_failed'],
      summary: null,
      command: null,
      lines: [],
      output: [],
      findings: [],
    })
  })
})

describe('output', () => {
  const esc = '\u001b'

  test.each([
    ['a\nb\n', ['a', 'b']],
    ['a\r\n\r\nb', ['a', '', 'b']],
    ['\n\n', []],
    ['10 %\r50 %\rdone\n', ['done']],
    [`${esc}[1;31mred${esc}[0m and ${esc}[2Kmore`, ['red and more']],
    [`${esc}]0;title\u0007text`, ['text']],
    ['bell\u0007', ['bell\\u0007']],
    ['\tindented', ['\tindented']],
  ])('%j is read as %j', (output, lines) => {
    expect(outputLines(output)).toEqual(lines)
  })

  test('has no line without an end', () => {
    expect(outputLines('x'.repeat(5_000))[0]?.length).toBeLessThan(1_010)
  })

  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${name}${at + 1}`)

  test.each<[number, number, readonly string[]]>([
    [2, 1, ['o1', 'o2', 'e1']],
    [9, 1, ['o7', 'o8', 'o9', 'e1']],
    [1, 9, ['o1', 'e7', 'e8', 'e9']],
    [9, 9, ['o8', 'o9', 'e8', 'e9']],
    [9, 0, ['o6', 'o7', 'o8', 'o9']],
    [0, 9, ['e6', 'e7', 'e8', 'e9']],
    [0, 0, []],
  ])('of %i and %i lines leaves the last four', (out, err, expected) => {
    expect(lastLines(numbered('o', out), numbered('e', err), 4)).toEqual(expected)
  })
})

describe('the text for the next attempt', () => {
  test('has class, command, exit, output and the place of the rest', () => {
    expect(feedbackText(feedback(), ['/p/a/s/verify.stdout'])).toBe(
      [
        'The last attempt (step w.bd-1.1.1) failed: check_failed',
        'the verification ended with exit code 1',
        '',
        'Command (verify): npm test',
        'It ended with exit code 1.',
        '',
        'The last 2 lines of its output:',
        '',
        '1 failed',
        'Error: no',
        '',
        'The whole output: /p/a/s/verify.stdout',
        '',
      ].join('\n'),
    )
  })

  test.each([
    [{ exitCode: null, signal: 'SIGKILL' }, 'It was ended by SIGKILL.'],
    [{ exitCode: null, signal: 'SIGTERM', timedOut: true }, 'It timed out.'],
    [{ exitCode: null }, 'It never ran.'],
  ])('says how the command ended: %j', (end, sentence) => {
    const command = { phase: 'work', command: 'x', timedOut: false, ...end } as const
    expect(feedbackText(feedback({ command }), [])).toContain(`\n${sentence}\n`)
  })

  test('names conflicting files with the commits of both sides', () => {
    const conflicts = [{ path: 'src/a.ts', work: ['Add a'], target: ['Rename a', 'Test a'] }]
    const conflicting = feedback({ command: null, lines: [], conflicts })
    expect(feedbackText(conflicting, [])).toContain(
      [
        'Files in conflict:',
        '  src/a.ts',
        '    your commit: Add a',
        "    the target's commit: Rename a",
        "    the target's commit: Test a",
        '',
      ].join('\n'),
    )
    expect(shownLines(conflicting)).toEqual(['conflict in src/a.ts'])
  })

  test('gives the findings of the gate', () => {
    const refused = feedback({ command: null, lines: [], findings: ['tc-1 has no result'] })
    expect(feedbackText(refused, [])).toContain('Findings of the gate:\n  tc-1 has no result\n')
    expect(shownLines(refused)).toEqual(['tc-1 has no result'])
  })
})

describe('on the screen', () => {
  test('are at most twenty lines, and the place of the rest', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
    expect(failureMembers({ ...failure, lines })).toEqual({
      exitCode: 1,
      lastLines: lines.slice(10),
      outputRef: 'a/s',
    })
    expect(failureMembers({ command: null, lines: [], output: [], findings: [] })).toEqual({})
  })

  test('one file is named itself, several by their folder', () => {
    expect(outputRef({ output: [] })).toBeUndefined()
    expect(outputRef({ output: ['a/s/work.stderr'] })).toBe('a/s/work.stderr')
    expect(outputRef(failure)).toBe('a/s')
  })

  test('each line is marked, and none is obeyed', () => {
    expect(shownOutput({ lastLines: ['\ta\u001b', ''], outputRef: 'a/s' })).toEqual([
      '|   a\\u001b',
      '|',
      'whole output: a/s',
    ])
    expect(shownOutput({})).toEqual([])
  })
})
