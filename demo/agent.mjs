/**
 * A stand-in for an agent. It reads its issue from the environment, writes and commits a file, and
 * appends the evidence of its turn. Three issues go wrong, each in a different way.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { lostTurn, turn } from './turns.mjs'

const { PREMATH_ISSUE_ID: id, PREMATH_ISSUE_TITLE: title } = process.env
const { PREMATH_ATTEMPT: attempt, PREMATH_TURN_EVIDENCE: evidence } = process.env
const { PREMATH_HANDOFF_FILE: handoff } = process.env

if (handoff) {
  const { tried, next } = JSON.parse(readFileSync(handoff, 'utf8'))
  console.log(`${id} was tried ${tried.length} times before; ${next}`)
}

// The first worker waits here until it is killed.
if (id === 'bd-1' && !handoff && existsSync('hang')) {
  console.log('thinking for a long time …')
  await new Promise(settle => setTimeout(settle, 60_000))
}

if (id === 'bd-2' && attempt === '1') {
  console.error('flaky_execution: the package mirror did not answer')
  process.exit(1)
}

await new Promise(settle => setTimeout(settle, 300))
writeFileSync(`${id}.txt`, `${title}\n`)
console.log(`wrote ${id}.txt`)
execFileSync('git', ['add', `${id}.txt`])
execFileSync('git', ['commit', '--quiet', '--message', `${id}: ${title}`])
appendFileSync(evidence, `${JSON.stringify(id === 'bd-4' ? lostTurn : turn)}\n`)
