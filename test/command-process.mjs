/** Runs the built command for `in-process.ts`, one command line after the other. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'

const [entry] = process.argv.slice(2)
const require = createRequire(import.meta.url)

function outputTo(chunks, isTerminal = false) {
  const isQuestion = text => isTerminal && text.endsWith('[y/N] ')
  return {
    write: text => isQuestion(text) || chunks.push(Buffer.from(text)) > 0,
    isTerminal: () => isTerminal,
    columns: () => undefined,
    rows: () => undefined,
  }
}

async function* inputOf(text) {
  if (text !== '') yield Buffer.from(text)
}

/** Only a test of time needs one: the others have the clock of the command. */
function clockOf({ path, ms, hasPassed = false }) {
  const shift = () => (existsSync(path) ? ms : 0)
  const now = () => BigInt(Date.now() + shift()) * 1_000_000n
  const passed = () => (hasPassed ? BigInt(shift()) * 1_000_000n : 0n)
  return { now, steady: () => process.hrtime.bigint() + passed(), sleep: pause }
}

/** Twice of what it has after its first commands. */
const rssMax = 200 * 2 ** 20

let answered = true

function answer(end) {
  answered = true
  process.send({ ...end, isLarge: process.memoryUsage.rss() > rssMax })
}

// As a process would end, so that the waiting test learns why.
process.on('uncaughtException', error => {
  if (answered) throw error
  answer({ status: 7, stdout: '', stderr: `${error.stack}\n` })
})
process.on('unhandledRejection', error => {
  throw error
})
// The suites are over.
process.on('disconnect', () => process.exit())

process.on('message', async ({ args, cwd, env, input, laterFrom, isConfirmed }) => {
  answered = false
  const { checkedStart } = require(entry)
  const [out, err] = [[], []]
  const status = await checkedStart(args, {
    cwd: () => cwd,
    env,
    input: inputOf(isConfirmed ? 'y\n' : input),
    isAtTerminal: () => isConfirmed === true,
    out: outputTo(out),
    err: outputTo(err, isConfirmed),
    ...(laterFrom && { clock: clockOf(laterFrom) }),
  })
  const text = chunks => Buffer.concat(chunks).toString('utf8')
  answer({ status, stdout: text(out), stderr: text(err) })
})
