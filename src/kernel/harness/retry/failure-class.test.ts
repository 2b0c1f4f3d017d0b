import { describe, expect, test } from 'vitest'
import { type CommandEnd, classifyEnd } from './failure-class.ts'

const kindOf = (end: CommandEnd) => classifyEnd(end)?.verificationClass
const classesOf = (end: CommandEnd) => classifyEnd(end)?.failureClasses

describe('the end of a command determines the kind of its failure', () => {
  test.each<[string, CommandEnd]>([
    ['it could not be started', { spawnFailed: true, exitCode: null }],
    ['it may not be executed', { exitCode: 126 }],
    ['a shell did not find it', { exitCode: 127 }],
    [
      'an interpreter did not find its program',
      {
        exitCode: 2,
        stderrTail:
          "python3: can't open file '/x/verify.py': [Errno 2] No such file or directory\n",
      },
    ],
    [
      'a shell did not find its script',
      { exitCode: 2, stderrTail: 'sh: 0: cannot open v: No such file' },
    ],
  ])('[tusk.5.verification-classes] wiring: %s', (_, end) => {
    expect(classifyEnd(end)).toEqual({
      verificationClass: 'wiring',
      failureClasses: ['executor_unavailable'],
    })
  })

  test.each<[string, CommandEnd]>([
    ['a signal ended it', { exitCode: null, signal: 'SIGKILL' }],
    ['a signal ended what its shell ran', { exitCode: 137 }],
    ['it passed when it was run again', { exitCode: 1, passedOnRerun: true }],
  ])('[tusk.5.verification-classes] flaky: %s', (_, end) => {
    expect(classifyEnd(end)).toEqual({
      verificationClass: 'flaky',
      failureClasses: ['flaky_execution'],
    })
  })

  test.each<[string, CommandEnd]>([
    ['it took too long', { timedOut: true, exitCode: null, signal: 'SIGTERM' }],
    ['it took too long, and then reported success', { timedOut: true, exitCode: 0 }],
  ])('[tusk.5.verification-classes] flaky, with a class of its own: %s', (_, end) => {
    expect(classifyEnd(end)).toEqual({
      verificationClass: 'flaky',
      failureClasses: ['command_timeout'],
    })
  })

  test.each<[string, CommandEnd]>([
    ['a check did not pass', { exitCode: 1 }],
    ['a check did not pass, with a message', { exitCode: 1, stderrTail: '2 tests failed\n' }],
    ['git was misused', { exitCode: 129 }],
    ['nothing is known of its end', {}],
    [
      'a file was missing before something else was wrong',
      { exitCode: 1, stderrTail: 'a: No such file or directory\n3 failed' },
    ],
  ])('[tusk.5.verification-classes] semantic: %s', (_, end) => {
    expect(classifyEnd(end)).toEqual({
      verificationClass: 'semantic',
      failureClasses: ['check_failed'],
    })
  })

  test('a command that passed has no failure, whatever it wrote', () => {
    expect(classifyEnd({ exitCode: 0, stderrTail: 'flaky_io: a warning\n' })).toBeUndefined()
    expect(classifyEnd({ exitCode: 0, signal: null })).toBeUndefined()
  })
})

describe('a class that the command names itself wins', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a class with its family',
      'governance.policy_package_unpinned: no pin',
      ['governance.policy_package_unpinned'],
    ],
    ['a class of two families', 'a_b.c.d_e: x', ['a_b.c.d_e']],
    ['a class without one', 'flaky_io: disk went away', ['flaky_io']],
    ['a class at the end of its line', 'flaky_io:', ['flaky_io']],
    ['a class after a label', 'premath: error: lease_stale: over', ['lease_stale']],
    ['a class in colour', '\u001b[31mflaky_io: x\u001b[0m', ['flaky_io']],
    ['the last line alone', 'flaky_io: x\nnetwork_timeout: y\n\n', ['network_timeout']],
    ['a line that a carriage return ends', 'flaky_io: x\r\n', ['flaky_io']],
    [
      'an answer with one class',
      '{"failureClass": "tool.result_missing"}',
      ['tool.result_missing'],
    ],
    [
      'an answer with many, each once and in order',
      '{"semanticFailureClasses":["c_d"],"failureClasses":["b_c","a_b"],"reasonClass":"a_b"}',
      ['a_b', 'b_c', 'c_d'],
    ],
  ])('%s', (_, stderrTail, expected) => {
    const typed = { verificationClass: 'typed', failureClasses: expected }
    expect(classifyEnd({ exitCode: 1, stderrTail })).toEqual(typed)
    expect(classifyEnd({ exitCode: 127, timedOut: true, stderrTail })).toEqual(typed)
  })

  test('stdout counts if all of it is one answer and stderr names no class', () => {
    const stdoutTail = '{\n  "failureClasses": ["issue_graph.acceptance.missing"]\n}\n'
    expect(classesOf({ exitCode: 1, stdoutTail })).toEqual(['issue_graph.acceptance.missing'])
    expect(classesOf({ exitCode: 1, stdoutTail, stderrTail: 'flaky_io: x' })).toEqual(['flaky_io'])
    expect(classesOf({ exitCode: 1, stdoutTail: `flaky_io: x\n${stdoutTail}` })).toEqual([
      'check_failed',
    ])
  })

  test.each([
    'main.c: error',
    'test_login.py: 3 failed',
    'src/my_file: gone',
    'my_file.ts:12: error',
    'python3.11: bad option',
    'AssertionError: expected_total: 3',
    'flaky_io without a colon',
    '{"failureClass": 3}',
    '{"failureClass": "two words"}',
    '{"failureClass": "flaky_io"',
    '["flaky_io"]',
    '{}',
  ])('text that only looks like a class is not taken as one: %s', stderrTail => {
    expect(kindOf({ exitCode: 1, stderrTail })).toBe('semantic')
  })

  test('a line as long as the tail is scanned once', () => {
    const stderrTail = `${'a_'.repeat(500_000)}\n${'a.'.repeat(500_000)}`
    expect(kindOf({ exitCode: 1, stderrTail })).toBe('semantic')
  })
})
