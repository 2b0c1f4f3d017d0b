/** The gate accepts a turn, and rejects one with a missing result. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder, command, must, say, show } from './stage.mjs'
import { lostTurn, overlongTurn, turn } from './turns.mjs'

export function gate() {
  const folder = aFolder()
  const write = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value, null, 2))
  write('closed.json', turn)
  write('lost-result.json', lostTurn)

  say('The gate. An agent made two tool calls. Both have a result, and both results were used.')
  show(folder, ['harness-join-check', '--input', 'closed.json', '--explain'], 0)

  say('\nThe same turn with one missing result.')
  show(folder, ['harness-join-check', '--input', 'lost-result.json', '--explain'], 1)

  say('\nThree turns as a stream, one report per line. The third turn claims that its output was')
  say('truncated as the policy says. The gate measures the output and rejects the claim.')
  const lines = [turn, lostTurn, overlongTurn].map(one => JSON.stringify(one)).join('\n')
  writeFileSync(join(folder, 'turns.ndjson'), `${lines}\n`)
  const args = ['harness-join-check', '--input', 'turns.ndjson', '--ndjson']
  const { stdout, status } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  say(`\n$ premath ${args.join(' ')}`)
  for (const text of stdout.trim().split('\n')) {
    const { line, result, failureClasses, witnessDigest } = JSON.parse(text)
    say(`line ${line}: ${result} ${failureClasses.join(', ')}  ${witnessDigest.slice(0, 23)}…`)
  }
  must(status === 1, 'exit 1')
}
