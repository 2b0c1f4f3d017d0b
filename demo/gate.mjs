/** Turns of an agent are judged: closed, or open with the reason. */
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

  say('An agent made two calls. Both were answered, and both answers were used.')
  show(folder, ['harness-join-check', '--input', 'closed.json', '--explain'], 0)

  say('\nThe same turn, but one result never came back.')
  show(folder, ['harness-join-check', '--input', 'lost-result.json', '--explain'], 1)

  say('\nThree answers for a program, one line each. The third turn says that its output was cut')
  say('rightly; the gate measures, and it was not.')
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
