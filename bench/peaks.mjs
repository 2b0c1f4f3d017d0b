import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { premath, script } from './run.mjs'

/** The same everywhere: replays and compactions keep the live issues, and nothing else may grow. */
const live = 5_000
const [few, many] = [50_000, 1_000_000]

/** The most memory that these commands take, however long the file is that they read. */
export async function peaks(folder) {
  const root = join(folder, 'peaks')
  return [figure('events replayed', replay, root), figure('rows compacted', compaction, root)]
}

function figure(what, measure, root) {
  const [least, most] = [few, many].map(count => {
    mkdirSync(join(root, '.premath/memory'), { recursive: true })
    const peak = measure(root, count)
    rmSync(root, { recursive: true })
    return peak
  })
  const name = count => `${count.toLocaleString('en')} ${what}`
  return {
    name: `peaks: ${name(many)}, of ${live.toLocaleString('en')} issues`,
    ours: most,
    unit: 'MB at most',
    beside: { [name(few)]: least },
    ratio: most / least,
    most: 1.5,
  }
}

function replay(root, events) {
  writeLines(join(root, '.premath/issues.jsonl'), live, at => rowOf(events - live + at))
  writeLines(join(root, '.premath/memory/events.jsonl'), events, eventOf)
  const { answer, peak } = peakOf(root, ['issue', 'replay-events'])
  const isWhole = answer.eventCount === events && answer.equivalentToExisting
  if (!isWhole) throw new Error(`replayed: ${JSON.stringify(answer)}`)
  return peak
}

function compaction(root, rows) {
  writeLines(join(root, '.premath/issues.jsonl'), rows, rowOf)
  const { answer, peak } = peakOf(root, ['issue', 'compact'])
  if (answer.issueCount !== live) throw new Error(`compacted: ${JSON.stringify(answer)}`)
  return peak
}

function peakOf(root, words) {
  const args = ['-r', script('peak-at-exit.cjs'), premath, ...words, '--json']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  return { answer: JSON.parse(stdout), peak: Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024 }
}

function writeLines(path, count, lineOf) {
  const file = openSync(path, 'w')
  const step = 10_000
  for (let from = 0; from < count; from += step) {
    const length = Math.min(step, count - from)
    const lines = Array.from({ length }, (_, at) => `${JSON.stringify(lineOf(from + at))}\n`)
    writeSync(file, lines.join(''))
  }
  closeSync(file)
}

/** The row that the event with this number wrote. */
function rowOf(number) {
  const time = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString().replace('.000', '')
  return {
    id: `bd-${1 + (number % live)}`,
    title: `Changed for the ${Math.floor(number / live) + 1}. time`,
    description: 'What is wrong, where, and how it shows. '.repeat(8),
    status: 'open',
    priority: number % 4,
    issue_type: 'task',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: time,
    ephemeral: false,
  }
}

function eventOf(number) {
  const issue = rowOf(number)
  return {
    event_id: `issue.upsert:${issue.id}@${issue.updated_at}#${number}`,
    issue_id: issue.id,
    occurred_at: issue.updated_at,
    action: 'upsert_issue',
    issue,
  }
}
