/** Projects that earlier versions wrote: this version reads them, verifies them and changes them. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import type { Clock, Output } from '../src/world/world.ts'
import { describeWithGit, gitEnv, gitIn } from './a-repository.ts'
import { checkedOperations } from './checked-answers.ts'

type Json = ReturnType<typeof JSON.parse>

interface Answer {
  readonly exitCode: number
  readonly output: Json
}

interface Recorded {
  /** When the old version answered: leases that it gave out are active at this time. */
  readonly at: string
  /** The folder in which it answered. */
  readonly root: string
  readonly answers: Readonly<Record<string, Answer>>
}

const golden = resolve('test/golden')
const versions = readdirSync(golden, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

const folders = realpathSync(mkdtempSync(join(tmpdir(), 'premath golden ')))
afterAll(() => rmSync(folders, { recursive: true }))

/** The project of a version as it lay on the disk of its user, in a git repository. */
function copyOf(version: string): string {
  const stored = join(golden, version, 'project')
  const folder = mkdtempSync(join(folders, 'a copy '))
  const root = join(folder, 'project')
  const repository = join(golden, version, 'repository.bundle')
  const hasLanded = existsSync(repository)
  if (hasLanded) gitIn(folder, 'clone', '--quiet', '--branch=main', repository, root)
  for (const entry of readdirSync(stored, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const from = join(entry.parentPath, entry.name)
    const to = join(root, from.slice(stored.length).replaceAll('/dot-', '/.'))
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to)
  }
  if (hasLanded) return root
  gitIn(root, 'init', '--quiet', '--initial-branch=main')
  gitIn(root, 'add', '--all')
  gitIn(root, 'commit', '--quiet', '--message', 'Begin')
  return root
}

/** Goes on from a time that has passed. */
function clockFrom(time: string): Clock {
  const { clock } = nodeWorld()
  const shift = BigInt(Date.parse(time)) * 1_000_000n - clock.now()
  return { ...clock, now: () => clock.now() + shift, sleep: ms => clock.sleep(ms) }
}

function printedTo(texts: string[]): Output {
  const write = (text: string) => texts.push(text) > 0
  return { write, isTerminal: () => false, columns: () => undefined, rows: () => undefined }
}

/** Runs commands of this version in the folder, in this process. */
function commandsIn(root: string, clock: Clock) {
  return async (...args: readonly string[]): Promise<Answer> => {
    const out: string[] = []
    const world = {
      ...nodeWorld(),
      cwd: () => root,
      env: gitEnv,
      clock,
      isAtTerminal: () => false,
      out: printedTo(out),
      err: printedTo([]),
    }
    const exitCode = await runCommand([...args, '--json'], checkedOperations, world)
    return { exitCode, output: JSON.parse(out.join('')) }
  }
}

/**
 * Members that are prose for people, that name the folder or the moment of the question, or that came
 * with a later version.
 */
const unstable = new Set([
  'message',
  'remedy',
  'repoRoot',
  'checkedAt',
  'forced',
  'instructionPolicies',
  'passedOver',
  'passedOverCount',
  'scope',
  // A start without a start-up command now runs the verify command.
  'startup',
])

/** What the doctor of later versions checks too. */
const laterChecks = new Set(['places', 'git', 'forward', 'merges', 'witnesses'])

/**
 * The versions of these projects accepted a close by force without being told to, and named an issue
 * to a caller whom the policy lets claim nothing.
 */
const more: Readonly<Record<string, readonly string[]>> = {
  'witness verify --all': ['--allow-forced'],
  'harness-boot': ['--reason', 'compared'],
}
const asked = (words: string) => [...words.split(' '), ...(more[words] ?? [])]

/** Witnesses are listed by the times of their files, which no copy keeps. */
const isUnordered = (key: string, words: string) => key === 'items' && words.startsWith('witness')

const stable = (words: string, { exitCode, output }: Answer) => ({
  words,
  exitCode,
  output: JSON.parse(JSON.stringify(output), (key, value) => {
    if (unstable.has(key)) return undefined
    if (key === 'checked') return value.filter((check: string) => !laterChecks.has(check))
    if (key === 'looked') return { ...value, witnesses: undefined }
    return isUnordered(key, words) ? value.map((one: Json) => JSON.stringify(one)).sort() : value
  }),
})

const closedIn = ({ answers }: Recorded): readonly string[] =>
  answers['issue list']?.output.items
    .filter(({ status }: { status: string }) => status === 'closed')
    .map(({ id }: { id: string }) => id)

const numberOf = (id: string) => Number(id.slice('bd-'.length))

describeWithGit('a project of an earlier version', () => {
  describe.each(versions)('%s', version => {
    const recorded: Recorded = JSON.parse(
      readFileSync(join(golden, version, 'answers.json'), 'utf8'),
    )
    const clock = clockFrom(recorded.at)
    let root = ''
    let premath: ReturnType<typeof commandsIn>

    beforeEach(() => {
      root = copyOf(version)
      premath = commandsIn(root, clock)
    })

    const pathOf = (path: string) => join(root, path)
    const reason = ['--reason', 'Ana is asked by phone']
    const done = async (...args: readonly string[]) => {
      const { exitCode, output } = await premath(...args)
      expect(exitCode, `${args.join(' ')}: ${JSON.stringify(output)}`).toBe(0)
      return output
    }
    const refused = async (...args: readonly string[]) => {
      const { exitCode, output } = await premath(...args)
      return [exitCode, output.failureClasses]
    }

    test('is read and verified with the answers of its version', async () => {
      for (const [words, answer] of Object.entries(recorded.answers)) {
        const now = await premath(...asked(words))
        expect(stable(words, now)).toEqual(stable(words, answer))
      }
    })

    test('has its exported proof and its attestation verified', async () => {
      await done('witness', 'verify', 'artifacts/bd-2.proof.json')
      const signed = ['--attestation', 'artifacts/bd-1.intoto.jsonl']
      await done('witness', 'verify', 'bd-1', ...signed, '--public-key', 'artifacts/key.pub.pem')
    })

    test('has a changed byte detected in every kind of proof', async () => {
      const kept = readdirSync(pathOf('.premath/proofs'), { recursive: true, encoding: 'utf8' })
      const textAt = (name: string) => readFileSync(pathOf(`.premath/proofs/${name}`), 'utf8')
      for (const kind of ['chain', 'instruction', 'join', 'spec', 'verify']) {
        const inFiles = kept.find(path => path.includes(`/${kind}-`))
        const inBundle = kept.find(
          path => path.includes('/proof-') && textAt(path).includes(`"${kind}-`),
        )
        const name = inFiles ?? inBundle ?? ''
        const path = `.premath/proofs/${name}`
        const before = textAt(name)
        const start = Math.max(0, before.indexOf(`"${kind}-`))
        const at = before.indexOf('sha256:', start) + 'sha256:'.length
        const digit = before[at] === '0' ? '1' : '0'
        writeFileSync(pathOf(path), `${before.slice(0, at)}${digit}${before.slice(at + 1)}`)
        const [exitCode, classes] = await refused('witness', 'verify', dirname(name))
        expect([kind, exitCode, classes]).toEqual([
          kind,
          5,
          expect.arrayContaining(['witness_changed']),
        ])
        writeFileSync(pathOf(path), before)
      }
    })

    test('has the same issues by its event log as by its rows', async () => {
      const replayed = await done('issue', 'replay-events', ...reason)
      expect(replayed).toMatchObject({ equivalentToExisting: true })
      const restored = ['--issues', 'restored.jsonl', '--events', '.premath/memory/events.jsonl']
      await done('issue', 'replay-events', ...restored, ...reason)
      const list = await premath('issue', 'list', '--issues', 'restored.jsonl')
      const listed = recorded.answers['issue list'] ?? list
      expect(stable('issue list', list).output.items).toEqual(
        stable('issue list', listed).output.items,
      )
    })

    test('refuses the changes that its version refused', async () => {
      const change = ['issue', 'update', 'bd-6', '--title', 'Mine']
      const lease = ['--lease-id', 'lease1_bd-6_ben', '--fence', '1']
      const under = ['--instruction', '20260221T000000Z-greet']
      expect(await refused(...change, ...reason)).toEqual([4, ['lease_proof_missing']])
      expect(await refused(...change, ...lease, ...reason)).toEqual([4, ['lease_fence_stale']])
      expect(await refused('issue', 'claim', 'bd-6', '--assignee', 'ben', ...reason)).toEqual([
        4,
        ['lease_contention_active'],
      ])
      expect(await refused('issue', 'claim', 'bd-9', '--assignee', 'ben')).toEqual([
        1,
        ['mutation_not_granted'],
      ])
      expect(await refused('issue', 'update', 'bd-1', '--title', 'Mine', ...under)).toEqual([
        // The entry is used too. That version did not resolve the refs of a turn.
        1,
        ['turn_ref_unresolved'],
      ])
      const circle = ['dep', 'add', 'bd-7', 'bd-8', ...reason]
      expect(await refused(...circle)).toEqual([1, ['dependency_cycle']])
    })

    test('can be changed, and every proof of its version still verifies', async () => {
      await done('issue', 'claim', 'bd-9', '--assignee', 'eve', ...reason)
      const lease = ['--lease-id', 'lease1_bd-9_eve', '--fence', '1']
      await done('issue', 'update', 'bd-9', '--notes', 'Blue', ...lease, ...reason)
      const close = ['issue', 'update', 'bd-9', '--status', 'closed', ...lease, ...reason]
      expect(await refused(...close)).toEqual([1, ['close_proof_missing']])
      await done(...close, '--verify-cmd', 'sh greet.sh')
      const commands = ['--work-cmd', 'echo ok > spelling.txt', '--verify-cmd', 'cat spelling.txt']
      const step = await done('harness-step', '--worker', 'eve', ...commands, ...reason)
      expect(step).toMatchObject({ result: 'completed', issueId: 'bd-10' })

      const { output } = await premath('issue', 'list', '--status', 'closed')
      const closed = output.items.map(({ id }: { id: string }) => id)
      expect(closed).toEqual(
        [...closedIn(recorded), 'bd-9', 'bd-10'].toSorted((a, b) => numberOf(a) - numberOf(b)),
      )
      const snapshot = (await done('issue', 'backend-status')).snapshotRef
      const { bytesBefore, bytesAfter } = await done('issue', 'compact', ...reason)
      expect(bytesAfter).toBeLessThan(bytesBefore)
      expect((await done('issue', 'backend-status')).snapshotRef).toBe(snapshot)
      expect(await done('doctor')).toMatchObject({ findings: [] })
      expect((await done('witness', 'verify', '--all', '--allow-forced')).count).toBeGreaterThan(
        recorded.answers['witness verify --all']?.output.count,
      )
      await done('harness-boot', '--worker', 'eve')
    })

    test('merges with a clone in which other issues changed', async () => {
      const theirs = copyOf(version)
      const there = commandsIn(theirs, clock)
      const base = join(dirname(root), 'base.jsonl')
      cpSync(pathOf('.premath/issues.jsonl'), base)
      await done('issue', 'update', 'bd-7', '--title', 'Announce it', ...reason)
      await there('issue', 'update', 'bd-7', '--priority', '1', ...reason)
      await there('issue', 'add', 'Write a song', ...reason)
      const ours = join(dirname(root), 'ours.jsonl')
      cpSync(pathOf('.premath/issues.jsonl'), ours)
      await done('merge-driver', base, ours, join(theirs, '.premath/issues.jsonl'))
      cpSync(ours, pathOf('.premath/issues.jsonl'))
      const { issue } = await done('issue', 'show', 'bd-7')
      expect(issue).toMatchObject({ title: 'Announce it', priority: 1 })
      const { items } = await done('issue', 'list')
      expect(items.map(({ title }: { title: string }) => title)).toContain('Write a song')
      expect(await refused('witness', 'verify', '--all')).toEqual([1, ['proof_forced']])
      expect(await refused('witness', 'verify', '--all', '--allow-forced')).toEqual([0, []])
    })
  })
})
