/**
 * Random histories of five clones in real git, which edit, merge, rebase, squash, cherry-pick, stash and
 * merge without a driver. The oracle of the simulated histories decides. `SEED=… GIT_HISTORIES=1` runs
 * one again.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { runCommand } from '../src/cli/run.ts'
import { nodeWorld } from '../src/world/node-world.ts'
// git starts the merge driver of the build.
import './built-command.ts'
import { checkedOperations } from './checked-answers.ts'
import { type Fact, Oracle, type SeenRow } from './sim/merge-oracle.ts'
import { isTorture, seeded, seedOf } from './sim/seeded.ts'

const histories = Number(process.env['GIT_HISTORIES'] ?? (isTorture ? 150 : 10))
const stepsMax = isTorture ? 20 : 6
const first = seedOf(process.env)
const top = mkdtempSync(join(tmpdir(), 'premath histories '))
afterAll(() => rmSync(top, { recursive: true }))

const who = ['AUTHOR', 'COMMITTER'].flatMap(one => [
  [`GIT_${one}_NAME`, 'ann'],
  [`GIT_${one}_EMAIL`, 'ann@example.org'],
])
const env = {
  ...process.env,
  ...Object.fromEntries(who),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'true',
}

class Clone {
  readonly name: string
  readonly folder: string
  readonly story: string[]
  #made = 0

  constructor(name: string, folder: string, story: string[]) {
    this.name = name
    this.folder = folder
    this.story = story
  }

  git(...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd: this.folder,
      encoding: 'utf8',
      env,
    })
    this.story.push(`${this.name}: git ${args.join(' ')} exits ${status}\n${stderr}`)
    return { isDone: status === 0, stdout }
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
    this.story.push(`${this.name}: premath ${args.join(' ')} exits ${status}`)
    return { status, json: JSON.parse(out) }
  }

  commit(): void {
    this.git('add', '-A')
    this.git('commit', '-q', '--allow-empty', '-m', this.name)
  }

  /** The rows of the file go forward, as with the next change. */
  async settle(): Promise<void> {
    await this.premath('doctor', '--fix')
    this.commit()
  }

  rows(): readonly SeenRow[] {
    const text = readFileSync(join(this.folder, '.premath/issues.jsonl'), 'utf8')
    const last = new Map<string, SeenRow>()
    for (const line of text.split('\n').filter(one => one.startsWith('{'))) {
      const row = JSON.parse(line)
      last.set(row.id, {
        ...row,
        dependencies: row.dependencies ?? [],
        comments: (row.comments ?? []).map((one: { text: string }) => one.text),
        fence: row.metadata?.premathFence ?? 0,
      })
    }
    return [...last.values()]
  }

  /** One edit, and the fact that it acknowledged. A refusal is fine. */
  async edit(chance: () => number): Promise<Fact | undefined> {
    const among = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T
    const rows = this.rows()
    const [row, other] = [among(rows), among(rows)]
    const word = `${this.name}-${++this.#made}`
    if (!row || !other || chance() < 0.3) {
      const { status } = await this.premath('issue', 'add', word, '--description', word)
      return status === 0 ? { is: 'issue', name: word } : undefined
    }
    const name = row.description
    if (chance() < 0.3) {
      const { status } = await this.premath('issue', 'comment', row.id, word)
      return status === 0 ? { is: 'comment', name, text: word } : undefined
    }
    if (chance() < 0.4) {
      const claim = ['issue', 'claim', row.id, '--assignee', this.name]
      const { status, json } = await this.premath(...claim)
      return status === 0 ? { is: 'fence', name, fence: json.issue.lease.fence } : undefined
    }
    if (chance() < 0.5) {
      const { status } = await this.premath('dep', 'add', row.id, other.id, '--type', 'related')
      return status === 0 ? { is: 'edge', name, to: other.description, type: 'related' } : undefined
    }
    const close = ['--status', 'closed', '--force', '--reason', word]
    const { status } = await this.premath('issue', 'update', row.id, ...close)
    return status === 0 ? { is: 'close', name } : undefined
  }
}

/** git leaves such an operation as it began. */
const abandoned = ['merge', 'rebase', 'cherry-pick'] as const

async function operate(
  named: Operation,
  clone: Clone,
  others: readonly Clone[],
  chance: () => number,
) {
  const heads = others.map(({ folder }) => {
    clone.git('fetch', '-q', folder, 'main')
    return clone.git('rev-parse', 'FETCH_HEAD').stdout.trim()
  })
  const [head = ''] = heads
  const isDone = (...args: readonly string[]) => clone.git(...args).isDone
  const giveUp = () => {
    for (const one of abandoned) clone.git(one, '--abort')
  }
  switch (named) {
    case 'merge':
      if (!isDone('merge', '-q', '--no-edit', head)) giveUp()
      break
    case 'octopus':
      // git merges three heads without drivers, and gives up where both changed a line.
      if (!isDone('merge', '-q', '--no-edit', ...heads)) {
        clone.git('reset', '-q', '--hard')
        for (const one of heads) clone.git('merge', '-q', '--no-edit', one)
      }
      break
    case 'squash':
      if (isDone('merge', '-q', '--squash', head)) clone.commit()
      else clone.git('reset', '-q', '--hard')
      break
    case 'rebase --merge':
    case 'rebase --apply':
      if (!isDone('rebase', '-q', named.slice('rebase '.length), head)) giveUp()
      break
    case 'cherry-pick':
      if (!isDone('cherry-pick', '--allow-empty', '--keep-redundant-commits', head)) giveUp()
      break
    case 'stash': {
      // The oracle tells issues apart by their descriptions.
      const stashed = `${clone.name} stashed`
      const id = `bd-stash-${clone.name}`
      await clone.premath('issue', 'add', stashed, '--description', stashed, '--id', id)
      clone.git('stash', '-q')
      clone.git('merge', '-q', '--no-edit', head)
      clone.git('stash', 'pop', '-q')
      break
    }
    case 'without a driver': {
      clone.git('config', '--remove-section', 'merge.premath')
      const isMerged = isDone('merge', '-q', '--no-edit', head)
      await clone.premath('init', '--merge-driver')
      if (isMerged) break
      if (chance() < 0.5) giveUp()
      else {
        // The remedy of the guide: git merges the same versions again, now with the driver.
        clone.git('checkout', '--merge', '--', '.premath')
        clone.commit()
      }
      break
    }
    default:
      break
  }
}

const operations = [
  'merge',
  'octopus',
  'squash',
  'rebase --merge',
  'rebase --apply',
  'cherry-pick',
  'stash',
  'without a driver',
] as const
type Operation = (typeof operations)[number]

async function runHistory(seed: number): Promise<string | undefined> {
  const chance = seeded(seed)
  const among = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T
  const story: string[] = []
  const place = join(top, String(seed))
  const base = new Clone('base', join(place, 'base'), story)
  mkdirSync(base.folder, { recursive: true })
  base.git('init', '-q', '-b', 'main')
  await base.premath('init', '--merge-driver')
  for (const title of ['one', 'two', 'three']) {
    await base.premath('issue', 'add', title, '--description', title)
  }
  base.commit()
  rmSync(join(base.folder, '.git/premath'), { recursive: true, force: true })
  const clones = ['ann', 'bob', 'cyd', 'dan', 'eve'].map(name => {
    cpSync(base.folder, join(place, name), { recursive: true })
    return new Clone(name, join(place, name), story)
  })
  const facts = new Set<string>()
  for (let step = 0; step < stepsMax; step++) {
    const clone = among(clones)
    const others = [among(clones), among(clones)].filter(one => one !== clone)
    for (let edits = Math.floor(chance() * 4); edits > 0; edits--) {
      const fact = await clone.edit(chance)
      if (fact) facts.add(JSON.stringify(fact))
    }
    clone.commit()
    if (others.length > 0) await operate(among(operations), clone, others, chance)
    await clone.settle()
  }
  // All come together, one after the other.
  for (let round = 1; round <= 3; round++) {
    for (const clone of clones) {
      for (const other of round === 1 ? clones : clones.slice(-1)) {
        if (other !== clone) await operate('merge', clone, [other], chance)
      }
      await clone.settle()
    }
    if (new Set(clones.map(clone => JSON.stringify(clone.rows()))).size === 1) break
  }
  const broken = clones.flatMap(clone =>
    new Oracle().broken(clone.rows(), facts).map(what => `${clone.name} lost ${what}`),
  )
  const isEqual = new Set(clones.map(clone => JSON.stringify(clone.rows()))).size === 1
  rmSync(place, { recursive: true })
  if (broken.length === 0 && isEqual) return undefined
  return [`SEED=${seed} GIT_HISTORIES=1`, ...story, ...broken, `equal: ${isEqual}`].join('\n')
}

test(`[memory.2.converge] no history of real git loses an acknowledged change (SEED=${first})`, async () => {
  for (let seed = first; seed < first + histories; seed++) {
    expect(await runHistory(seed)).toBeUndefined()
  }
}, 3_600_000)
