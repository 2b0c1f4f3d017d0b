import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { sessionResults, sessionScript } from './shell-session.ts'

const mark = '0123456789abcdef'

/**
 * Runs the commands as `cli.run` does: the script is an argument, stdin is empty, and both streams
 * go to one pipe.
 */
function ran(...runs: readonly string[]) {
  const script = sessionScript(
    runs.map(run => ({ run, exitCode: 0 })),
    mark,
  )
  const joined = ['-c', 'exec "$@" 2>&1', 'sh', 'sh', '-c', script]
  const { stdout, status } = spawnSync('sh', joined, { encoding: 'utf8', input: '' })
  return sessionResults(stdout, status ?? -1, runs.length, mark).map(
    ({ output, exitCode }) => [output, exitCode] as const,
  )
}

describe('a session', () => {
  test('has the output and the exit code of each command', () => {
    expect(ran('echo a; echo b >&2; echo c', 'printf x', 'false', '(exit 7)', ':')).toEqual([
      ['a\nb\nc\n', 0],
      ['x', 0],
      ['', 1],
      ['', 7],
      ['', 0],
    ])
  })

  test('keeps folder, variables, functions and the last exit code', () => {
    expect(
      ran('cd /; x=1; f() { echo "f $x"; }', 'pwd; f', 'false', 'echo $?').map(
        ([output]) => output,
      ),
    ).toEqual(['', '/\nf 1\n', '', '1\n'])
  })

  test('survives a syntax error, an open quote and a backslash at the end', () => {
    const results = ran('if', "echo 'a", 'echo b \\', 'echo "it\'s" $((1+1))')
    expect(results.map(([, exitCode]) => exitCode > 0)).toEqual([true, true, false, false])
    expect(results[3]).toEqual(["it's 2\n", 0])
  })

  test('takes several lines and here-documents', () => {
    expect(ran('cat <<EOF\na\n$HOME_OF_NOBODY.\nEOF', 'for i in 1 2\ndo echo $i\ndone')).toEqual([
      ['a\n.\n', 0],
      ['1\n2\n', 0],
    ])
  })

  test('does not let a command read the rest of the session', () => {
    expect(ran('cat', 'read line', 'echo end')).toEqual([
      ['', 0],
      ['', 1],
      ['end\n', 0],
    ])
  })

  test('ends with the command that ends the shell', () => {
    expect(ran('echo a', 'echo b; exit 3', 'echo c')).toEqual([
      ['a\n', 0],
      ['b\n', 3],
    ])
  })

  test('adds the output of an exit trap to the last command', () => {
    expect(ran("trap 'echo bye' EXIT", 'echo a')).toEqual([
      ['', 0],
      ['a\nbye\n', 0],
    ])
  })

  test('takes a text that looks like a separator for output', () => {
    expect(ran(`echo '${mark} 0 $?'`, `printf '\\n${mark} 9 0\\n'`)).toEqual([
      [`${mark} 0 $?\n`, 0],
      [`\n${mark} 9 0\n`, 0],
    ])
  })
})
