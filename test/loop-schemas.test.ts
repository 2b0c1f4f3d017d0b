/** The output and the files of the loop comply with the published schemas. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { jsonSchemas } from '../src/wire/index.ts'
import { aLoop, does, writes } from './a-loop.ts'
import { leased } from './a-project.ts'

const loop = aLoop()

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = Object.fromEntries(
  [
    'premath.harness.run_event.v1',
    'premath.harness.attention.v1',
    'premath.harness.handoff_packet.v1',
    'premath.harness.step_journal.v1',
    'premath.harness.session.v1',
  ].map(kind => [kind, ajv.compile(jsonSchemas()[kind] as object)]),
)

const mustComply = (kind: string, values: readonly unknown[]) => {
  expect(values.length).toBeGreaterThan(0)
  for (const value of values) {
    validators[kind]?.(value)
    expect({ value, errors: validators[kind]?.errors ?? [] }).toEqual({ value, errors: [] })
  }
}

const eventNames = (events: readonly { readonly event: string }[]) => [
  ...new Set(events.map(({ event }) => event)),
]

/** Fails on one, is tried again on another, closes the rest. */
const work = `
  case $PREMATH_ISSUE_ID in
    bd-2) exit 1 ;;
    bd-3) [ "$PREMATH_ATTEMPT" = 1 ] && exit 143 ;;
  esac
  cp "$(dirname "$PREMATH_ISSUES_PATH")"/steps/$PREMATH_WORKER_ID.jsonl "$PREMATH_ROOT/journal.jsonl"
  cp "$PREMATH_HARNESS_SESSION_PATH" "$PREMATH_ROOT/session.json"
  echo done`

test('events, matters, packets, journal and session of a worker comply with their schemas', () => {
  loop.given(
    leased('bd-1', 'somebody', -60),
    ...['bd-2', 'bd-3', 'bd-4'].map(id => ({ id, title: `Issue ${id}`, status: 'open' })),
  )
  const limits = ['--max-steps', '9', '--max-minutes', '9', '--max-failures', '9']
  const { events, status } = loop.worker(does(work, 'true', '--startup-cmd', 'true', ...limits))
  expect(status).toBe(1)
  expect(eventNames(events)).toEqual(
    expect.arrayContaining([
      'run.started',
      'pass',
      'claimed',
      'phase',
      'attempt.ended',
      'waiting',
      'attention',
      'worker.ended',
      'run.ended',
    ]),
  )
  mustComply('premath.harness.run_event.v1', events)
  mustComply('premath.harness.attention.v1', loop.attention())
  mustComply('premath.harness.handoff_packet.v1', [
    loop.packet('worker.bd-1.1.1'),
    loop.packet('worker.bd-3.1.2'),
  ])
  const readAt = (path: string) => JSON.parse(readFileSync(loop.at(path), 'utf8'))
  const during = readAt('session.json')
  expect(during.premathBudget).toMatchObject({ maxSteps: 9, maxMinutes: 9, maxFailures: 9 })
  mustComply('premath.harness.session.v1', [during, loop.session()])
  const journal = readFileSync(loop.at('journal.jsonl'), 'utf8').split('\n').filter(Boolean)
  expect(journal.length).toBeGreaterThan(1)
  mustComply(
    'premath.harness.step_journal.v1',
    journal.map(line => JSON.parse(line)),
  )
})

test('events and matters of a coordinator comply with their schemas', () => {
  loop.repository()
  for (const title of ['One', 'Two', 'Three', 'Four']) loop.add(title)
  const { events, status } = loop.coordinator(
    does(`${work}; ${writes}`, 'true', '--create-worktrees', '2'),
  )
  expect(status).toBe(1)
  expect(eventNames(events)).toEqual(expect.arrayContaining(['run.started', 'pass', 'phase']))
  mustComply('premath.harness.run_event.v1', events)
  mustComply('premath.harness.attention.v1', loop.attention())
  mustComply('premath.harness.session.v1', [loop.session()])
})

test('a run that finds an interrupted step, and one that a worker cannot begin, comply too', () => {
  loop.repository()
  const id = loop.add('One')
  loop.add('Two')
  loop.premath(['harness-loop', 'worker', ...does('kill -9 $PPID; sleep 60')], {
    isSpawned: true,
  })
  const found = loop.worker(does('true'))
  expect(eventNames(found.events)).toContain('recovered')
  mustComply('premath.harness.run_event.v1', found.events)

  loop.done('issue', 'update', id, '--status', 'open')
  const quits = loop.worker(does('true', 'true', '--startup-cmd', 'false'))
  expect(quits.status).toBe(1)
  mustComply('premath.harness.run_event.v1', quits.events)
  mustComply('premath.harness.attention.v1', loop.attention())
})
