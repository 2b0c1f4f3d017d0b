import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.mjs'
import { median, premath, time } from './run.mjs'

const sizes = [365, 5_000, 50_000]
const largest = sizes.at(-1)
/** Questions and changes of one issue must not notice this many others. */
const huge = 200_000
const runs = 15

/** Reads the rows as anybody would who has no index. */
const readAndParse =
  "require('fs').readFileSync('.premath/issues.jsonl','utf8').split('\\n').filter(Boolean).map(row => JSON.parse(row))"

/** What issue memory costs, and that it costs hardly more when there is more of it. */
export async function issues(folder) {
  const projects = sizes.map(size => projectOf(folder, size))
  return [
    ...(await mutations(folder)),
    ...(await commands(projects)),
    ...(await allReady(projectOf(folder, largest, largest))),
    await withoutCache(projects.at(-1)),
    ...(await oneShots(projectOf(folder, huge), everyday)),
  ]
}

/** A fiftieth, and enough for every claim of a run. */
const readyOf = size => Math.max(60, size / 50)

/** Most work is done; some can be done now, and as much waits for that. */
function rowsOf(size, ready) {
  return Array.from({ length: size }, (_, at) => {
    const id = `bd-${at + 1}`
    const isReady = at < ready
    const waits = !isReady && at < 2 * ready
    const edge = { issue_id: id, depends_on_id: `bd-${at + 1 - ready}`, type: 'blocks' }
    return {
      id,
      title: `Issue ${at + 1}, with a title of the usual length`,
      description: 'What is wrong, where, and how it shows. '.repeat(8),
      status: isReady || waits ? 'open' : 'closed',
      priority: at % 4,
      issue_type: 'task',
      created_at: '2026-02-21T21:41:39.724462Z',
      updated_at: '2026-02-22T00:22:51.923596Z',
      ephemeral: false,
      ...(waits && { dependencies: [edge] }),
    }
  })
}

export function projectOf(folder, size, ready = readyOf(size)) {
  const root = join(folder, `issues-${size}-${ready}`)
  mkdirSync(join(root, '.premath'), { recursive: true })
  const path = join(root, '.premath/issues.jsonl')
  writeFileSync(
    path,
    rowsOf(size, ready)
      .map(row => `${JSON.stringify(row)}\n`)
      .join(''),
  )
  return { size, ready, root, path }
}

async function mutations(folder) {
  const file = await bundled('issue-mutations.mjs', folder)
  const paths = sizes.map(size => projectOf(join(folder, 'warm'), size).path)
  const measured = JSON.parse(
    execFileSync(process.execPath, [file, ...paths], { encoding: 'utf8' }),
  )
  return Object.entries(measured).map(([kind, [smallest, middle, most]]) => ({
    name: `issues: a warm ${kind} at ${largest}, synced`,
    ours: most,
    unit: 'ms',
    beside: { 'at 365': smallest, 'at 5000': middle },
    ratio: most / smallest,
    most: 1.5,
  }))
}

async function commands(projects) {
  const kinds = {
    'issue ready': ['issue', 'ready', '--json'],
    'issue claim-next': claimNext,
  }
  const figures = []
  for (const project of projects) figures.push(...(await oneShots(project, kinds)))
  return figures
}

/** Where nothing is done yet, to choose costs the same; only a list of all is longer. */
async function allReady(project) {
  return await oneShots(project, {
    'issue ready --limit 20': ['issue', 'ready', '--limit', '20', '--json'],
    'issue claim-next': claimNext,
  })
}

const everyday = {
  'issue ready --limit 20': ['issue', 'ready', '--limit', '20', '--json'],
  'issue show': ['issue', 'show', 'bd-7', '--json'],
  'issue list --limit 20': ['issue', 'list', '--limit', '20', '--json'],
  'issue list of an assignee': ['issue', 'list', '--assignee', 'bench', '--json'],
}

const claimNext = ['issue', 'claim-next', '--assignee', 'bench', '--json']

async function oneShots({ root, size, ready }, kinds) {
  const commands = Object.entries(kinds).map(([kind, words]) => [kind, [premath, ...words]])
  const all = { bare: ['-e', '0'], ...Object.fromEntries(commands) }
  const spent = await alternating(all, { cwd: root })
  return Object.keys(kinds).map(kind => ({
    name: `issues: one-shot ${kind} at ${size}, ${ready} ready`,
    ours: spent[kind],
    unit: 'ms',
    beside: { 'node -e 0': spent.bare },
    ratio: spent[kind] / spent.bare,
    most: 3,
  }))
}

/** The first question after the cache is gone, which also makes it anew. */
async function withoutCache({ root, size, ready }) {
  const forget = () => rmSync(join(root, '.premath/cache'), { recursive: true, force: true })
  const ask = [premath, 'issue', 'ready', '--json']
  const spent = await alternating({ bare: ['-e', readAndParse], ask }, { cwd: root }, forget)
  return {
    name: `issues: one-shot issue ready at ${size}, ${ready} ready, no cache`,
    ours: spent.ask,
    unit: 'ms',
    beside: { 'read and parse': spent.bare },
    ratio: spent.ask / spent.bare,
    most: 1.5,
  }
}

async function alternating(byName, options, before = () => {}) {
  const spent = Object.fromEntries(Object.keys(byName).map(name => [name, []]))
  for (let run = -1; run < runs; run++) {
    for (const [name, args] of Object.entries(byName)) {
      before()
      const took = await time(args, [0], options)
      if (run >= 0) spent[name].push(took)
    }
  }
  return Object.fromEntries(Object.entries(spent).map(([name, times]) => [name, median(times)]))
}
