/**
 * A stand-in for an agent. It reads its issue from the environment, writes its files, and appends the
 * evidence of its turn. It commits nothing: premath does. Two issues go wrong at first, and the agent
 * repairs them from the feedback.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { turn } from './turns.mjs'

const { PREMATH_ISSUE_ID: id, PREMATH_ISSUE_TITLE: title } = process.env
const { PREMATH_TURN_EVIDENCE: evidence, PREMATH_HANDOFF_FILE: handoff } = process.env
const feedback = process.env.PREMATH_FEEDBACK_FILE
  ? readFileSync(process.env.PREMATH_FEEDBACK_FILE, 'utf8')
  : ''

// The first run is killed while this agent thinks.
if (id === 'bd-1' && !handoff && process.env.DEMO_HANG) {
  console.log('thinking for a long time …')
  await new Promise(settle => setTimeout(settle, 60_000))
}

const markers = /^(<{7} .*|={7}|>{7} .*)\n/gm
const changes = readFileSync('CHANGES.md', 'utf8')
if (feedback.includes('CHANGES.md') && markers.test(changes)) {
  // Two issues added a line at the same place. Both lines are right.
  writeFileSync('CHANGES.md', changes.replace(markers, ''))
  console.log('kept both sides of CHANGES.md')
} else {
  await new Promise(settle => setTimeout(settle, 200))
  writeFileSync(`${id}.txt`, `${title}\n`)
  // bd-4 forgets the list at first. The test says so.
  const forgets = id === 'bd-4' && feedback === ''
  if (!forgets && !changes.includes(`${id}: `)) appendFileSync('CHANGES.md', `- ${id}: ${title}\n`)
  console.log(`wrote ${id}.txt`)
}
appendFileSync(evidence, `${JSON.stringify(turn)}\n`)
