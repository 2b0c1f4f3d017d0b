/**
 * Two clones that both change issue memory in every way they can, merged by real git, round after
 * round. A few rounds run with every test, a hundred with `npm run torture`; `SEED=…` draws the same
 * edits again.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { runCommand } from '../src/cli/run.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import { checkedOperations } from './checked-answers.ts'
import { isTorture, seeded, seedOf } from './sim/seeded.ts'

const rounds = isTorture ? 100 : 2
const editsMax = 14
const seed = seedOf(process.env)

const folder = mkdtempSync(join(tmpdir(), 'premath merge '))
afterAll(() => rmSync(folder, { recursive: true }))

interface Row {
  readonly id: string
  readonly description: string
  readonly created_at: string
  readonly lease?: { readonly lease_id: string }
  readonly metadata?: { readonly premathFence?: number }
}

class Clone {
  readonly name: string
  readonly folder: string
  /** How many issues were made here; each is known by its description, which is never edited. */
  #made = 0

  constructor(name: string) {
    this.name = name
    this.folder = join(folder, name)
  }

  /** The command on this clone's files; only what git starts is another process. */
  async premath(...args: readonly string[]) {
    let out = ''
    const none = () => undefined
    const silent = { isTerminal: () => false, columns: none, rows: none, write: () => true }
    const write = (text: string) => {
      out += text
      return true
    }
    const status = await runCommand([...args, '--json'], allCommands(checkedOperations), {
      ...nodeWorld(),
      cwd: () => this.folder,
      env: { USER: this.name },
      out: { ...silent, write },
      err: silent,
    })
    return { status, json: JSON.parse(out) }
  }

  async done(...args: readonly string[]) {
    const { status, json } = await this.premath(...args)
    expect({ args, status, json }).toMatchObject({ status: 0 })
    return json
  }

  git(...args: readonly string[]) {
    return gitIn(this.folder, ...args)
  }

  commit(message: string): string {
    this.git('add', '-A')
    this.git('commit', '-q', '--allow-empty', '-m', message)
    return this.git('rev-parse', 'HEAD').trim()
  }

  add(...more: readonly string[]) {
    const known = `${this.name} ${++this.#made}`
    return this.premath('issue', 'add', `Made by ${known}`, '--description', known, ...more)
  }

  /** A row as another tool writes it, without times, and with members and numbers of its own. */
  async takeIn(id: string) {
    const row = { id, title: id, description: id, labels: [this.name], theirs: [1.5e300] }
    writeFileSync(join(folder, 'rows.jsonl'), `${JSON.stringify(row)}\n`)
    return await this.premath('issue', 'import', join(folder, 'rows.jsonl'))
  }

  text(name: string): string {
    return readFileSync(join(this.folder, '.premath', name), 'utf8')
  }

  rows(): ReadonlyMap<string, Row> {
    return rowsOf(this.text('issues.jsonl'))
  }

  events(): ReadonlySet<string> {
    return new Set(linesOf(this.text('memory/events.jsonl')))
  }
}

function gitIn(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      ...Object.fromEntries(['AUTHOR', 'COMMITTER'].flatMap(whoIs)),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
    },
  })
  expect(status, `git ${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

const whoIs = (who: string) => [
  [`GIT_${who}_NAME`, 'ann'],
  [`GIT_${who}_EMAIL`, 'ann@example.org'],
]

const linesOf = (text: string) => text.split('\n').filter(line => /^[^#]/.test(line))

const rowsOf = (text: string): ReadonlyMap<string, Row> =>
  new Map(
    linesOf(text)
      .map(line => JSON.parse(line))
      .map(row => [row.id, row]),
  )

const described = (...clones: readonly ReadonlyMap<string, Row>[]) =>
  [...new Set(clones.flatMap(rows => [...rows.values()].map(row => row.description)))].sort()

const fence = (row: Row | undefined) => row?.metadata?.premathFence ?? 0

/** True for an issue that two clones imported: one description, added twice. */
const isSame = (one: Row, other: Row) =>
  one.description === other.description && one.created_at === other.created_at

const fenceOf = (rows: ReadonlyMap<string, Row>, known: Row) =>
  Math.max(0, ...[...rows.values()].filter(row => isSame(row, known)).map(fence))

/** One edit; a refusal is fine, since chance asks for what makes no sense. */
async function edit(clone: Clone, chance: () => number): Promise<void> {
  const among = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T
  const rows = [...clone.rows().values()]
  const row = among(rows)
  if (!row) {
    await clone.add()
    return
  }
  const proof = row.lease ? ['--lease-id', row.lease.lease_id, '--fence', String(fence(row))] : []
  const update = (...args: readonly string[]) =>
    clone.premath('issue', 'update', row.id, ...args, ...proof)
  const word = `${clone.name}-${Math.floor(chance() * 1000)}`
  const type = among(['blocks', 'related', 'parent-child'])
  const edges = [row.id, among(rows).id, '--type', type]
  await among([
    () => clone.add(),
    () => clone.add('--id', `bd-${among(['x', 'y', 'z'])}${Math.floor(chance() * 5)}`),
    () => clone.add('--label', word, '--priority', '0'),
    () => clone.takeIn(`ext-${Math.floor(chance() * 6)}`),
    () => update('--title', word),
    () => update('--title', 'The same on both sides'),
    () => update('--notes', `${word}\nline two “quoted” 🙂`),
    () => update('--label', among(['a', 'b', 'c']), '--label', word),
    () => update('--label', ''),
    () => update('--priority', String(Math.floor(chance() * 5)), '--owner', clone.name),
    () => update('--status', among(['open', 'blocked', 'in_progress'])),
    () => update('--status', 'closed', '--force', '--reason', word),
    () => clone.premath('issue', 'claim', row.id, '--assignee', clone.name),
    () => clone.premath('issue', 'claim-next', '--assignee', clone.name, '--ttl-seconds', '30'),
    () => clone.premath('issue', 'lease-renew', row.id, '--assignee', clone.name, ...proof),
    () => clone.premath('issue', 'lease-release', row.id, '--assignee', clone.name, ...proof),
    () => clone.premath('dep', 'add', ...edges),
    () => clone.premath('dep', 'add', ...edges),
    () => clone.premath('dep', 'remove', ...edges),
    () => clone.premath('issue', 'discover', row.id, `Found by ${word}`, '--description', word),
    () => clone.premath('issue', 'compact'),
    () => clone.premath('issue', 'migrate-events'),
  ])()
}

async function edits(clone: Clone, chance: () => number): Promise<void> {
  const count = Math.floor(chance() * (editsMax + 1))
  for (let at = 0; at < count; at++) await edit(clone, chance)
}

/** The properties of a merge, checked in the clone that made it. */
async function examine(clone: Clone, ours: Version, theirs: Version): Promise<void> {
  expect(clone.git('status', '--porcelain')).toBe('')
  const merged = clone.rows()
  expect(described(merged)).toEqual(described(ours.rows, theirs.rows))
  // By what they are, since the later of two issues with one id takes its fence to another id; and
  // by id, since who held that one knows it by the old id still.
  for (const [id, row] of merged) {
    const known = row.description
    const before = [ours.rows, theirs.rows].flatMap(rows => [
      fenceOf(rows, row),
      fence(rows.get(id)),
    ])
    expect([known, fence(row)]).toEqual([known, Math.max(...before)])
  }
  const events = [...clone.events()]
  expect(events).toEqual(expect.arrayContaining([...ours.fresh, ...theirs.fresh]))
  // Events that a rewritten log dropped may come back; no event is invented.
  expect(events.filter(line => !seen.has(line))).toEqual([])
  await examineMemory(clone)
}

async function examineMemory(clone: Clone): Promise<void> {
  const refOf = async () => {
    const { canonicalMemory } = await clone.done('issue', 'backend-status')
    return canonicalMemory.snapshotRef as string
  }
  const ref = await refOf()
  // A merged log may be behind, but never wrong; both sides' edges may make a cycle or lead nowhere.
  const { json } = await clone.premath('doctor')
  const integrity = json.findings.filter((found: { exitCode: number }) => found.exitCode > 1)
  expect(integrity).toEqual([])
  await clone.done('issue', 'compact')
  expect(await refOf()).toBe(ref)
  const copy = join(folder, 'copy.jsonl')
  rmSync(copy, { force: true })
  const log = join(clone.folder, '.premath/memory/events.jsonl')
  const replay = ['issue', 'replay-events', '--events', log]
  expect((await clone.done(...replay)).snapshotRef).toBe(ref)
  expect((await clone.done(...replay, '--issues', copy)).snapshotRef).toBe(ref)
}

interface Version {
  readonly commit: string
  readonly rows: ReadonlyMap<string, Row>
  /** Events that nobody had committed before. */
  readonly fresh: readonly string[]
}

/** Every event that was ever committed. */
const seen = new Set<string>()

function versionOf(clone: Clone, message: string): Version {
  const fresh = [...clone.events()].filter(line => !seen.has(line))
  for (const line of fresh) seen.add(line)
  return { commit: clone.commit(message), rows: clone.rows(), fresh }
}

/**
 * Where both closed an issue of one id, git asks whose proof of it stays; ours does. Rows and log
 * are the driver's, which this says nothing to.
 */
const merging = ['merge', '-q', '--no-edit', '-X', 'ours'] as const

/** The same two versions merged the other way round, in a place of its own. */
function mergedTheOtherWay(clone: Clone, ours: Version, theirs: Version): string {
  const place = join(folder, 'the other way')
  clone.git('worktree', 'add', '-q', '--detach', place, theirs.commit)
  gitIn(place, ...merging, ours.commit)
  const text = readFileSync(join(place, '.premath/issues.jsonl'), 'utf8')
  clone.git('worktree', 'remove', '--force', place)
  return text
}

test(`two clones lose no row, and rows and log agree (SEED=${seed})`, async () => {
  const chance = seeded(seed)
  const [ann, bob] = [new Clone('ann'), new Clone('bob')]
  mkdirSync(ann.folder)
  ann.git('init', '-q', '-b', 'main')
  await ann.done('init', '--merge-driver')
  for (let at = 0; at < 5; at++) await ann.add()
  versionOf(ann, 'base')
  gitIn(folder, 'clone', '-q', ann.folder, bob.folder)
  await bob.done('init', '--merge-driver')
  for (let round = 1; round <= rounds; round++) {
    await edits(ann, chance)
    await edits(bob, chance)
    const [ours, theirs] = [versionOf(ann, `ann ${round}`), versionOf(bob, `bob ${round}`)]
    ann.git('fetch', '-q', bob.folder, 'main')
    ann.git(...merging, theirs.commit)
    expect(mergedTheOtherWay(ann, ours, theirs)).toBe(ann.text('issues.jsonl'))
    // Either Bob takes Ann's merge, or both merge each other, and the next has two common versions.
    const crosses = chance() < 0.5
    bob.git('fetch', '-q', ann.folder, 'main')
    bob.git(...merging, crosses ? ours.commit : 'FETCH_HEAD')
    await examine(ann, ours, theirs)
    await examine(bob, ours, theirs)
  }
}, 3_600_000)
