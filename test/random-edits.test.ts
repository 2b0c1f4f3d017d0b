/**
 * Somebody damages one file, at random. Every answer is as before, or an error that names the file, or
 * doctor reports the damage; and the next change does not hide it.
 */
import { expect, test } from 'vitest'
import { anEditedProject, instructionPath, randomEdit } from './an-edited-project.ts'
import { isTorture, seeded, seedOf } from './sim/seeded.ts'

const project = anEditedProject()

const rounds = Number(process.env['TORTURE_EDITS'] ?? 60)
const readsPerRound = 2

/** Each is edited as often as the others, although most files are outputs of steps. */
const groups = [
  /^\.premath\/issues\.jsonl$/,
  /^\.premath\/memory\/events\.jsonl$/,
  /^\.premath\/(?!proofs|memory\/events|issues\.jsonl)/,
  /^\.premath\/proofs\//,
  /^\.git\/premath\//,
  /^artifacts\/ciwitness\//,
  /^artifacts\//,
]

/** Derived from other files, or only marks: damage of them changes no answer. */
const isDerived = (path: string) =>
  /^\.premath\/cache\/|\.lock$|^\.git\/premath\//.test(path) && !isRecord(path)

/** The record of acknowledged rows is a copy, which stands where it can be read. */
const isRecord = (path: string) => /^\.git\/premath\/memory\/.*\/rows\.jsonl$/.test(path)

/** No other file confirms what a person or a worker wrote there, so an edit that can be read stands. */
const isFree = (path: string) =>
  /^\.premath\/(config|checks|harness_[a-z_]+|steps\/.*)\.jsonl?$|\/?\.git(ignore|attributes)$/.test(
    path,
  ) ||
  path.startsWith('artifacts/steps/') ||
  isRecord(path)

const reads: readonly (readonly string[])[] = [
  ['issue', 'list'],
  ['issue', 'show', 'bd-3'],
  ['issue', 'ready'],
  ['status'],
  ['log'],
  ['prime'],
  ['witness', 'verify', '--all'],
  ['witness', 'list'],
  ['harness-trajectory', 'query'],
  ['harness-session', 'read'],
  ['harness-feature', 'check'],
  ['policy', 'show'],
  ['instruction-check', '--instruction', instructionPath],
]

const began = Date.now()

/** Times since the test began, and ages, differ from run to run. */
const steady = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, time =>
      Date.parse(time) >= began ? '<now>' : time,
    )
    .replace(/"ageMs": \d+/g, '"ageMs": 0')

interface Answer {
  readonly status: number | null
  readonly text: string
  readonly said: string
}

function asked(what: string, ...args: readonly string[]): Answer {
  const { status, stdout, stderr } = project.premath(...args)
  const said = stdout + stderr
  expect(said, `${what}: ${args.join(' ')}`).not.toMatch(/hit a bug|\n {4}at /)
  return { status, text: steady(stdout), said }
}

interface Finding {
  readonly check: string
  readonly exitCode: number
  readonly what: string
}

function doctor(what: string): readonly Finding[] {
  const { status, said, text } = asked(what, 'doctor')
  const { findings } = JSON.parse(text)
  return findings ?? [{ check: 'error', exitCode: status, what: said }]
}

/** Once the rows are right again, nothing is left to find. */
const isHealed = ({ check }: Finding) => ['torn', 'events', 'forward', 'memory'].includes(check)

/** The last state of every issue, by a reader of a few lines. */
function lastRows(bytes: Uint8Array): ReadonlyMap<string, string> {
  const last = new Map<string, string>()
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const row = parsed(line)
    // Nobody can say what a line means that cannot be read.
    last.set(row?.id ?? line, JSON.stringify(row))
  }
  return last
}

/** Whether the rows have every issue as it was; there may be more. */
const haveAll = (was: ReadonlyMap<string, string>, bytes: Uint8Array) => {
  const rows = lastRows(bytes)
  return [...was].every(([id, row]) => rows.get(id) === row)
}

function parsed(line: string) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const rowsPath = '.premath/issues.jsonl'
const policyLogPath = '.premath/policy-log.jsonl'
const sorted = (text: string) => text.split('\n').toSorted().join('\n')
const seed = seedOf(process.env)
const random = seeded(seed)
const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T

/** What is wrong after one edit. */
function flawsAfter(place: string, path: string, bytes: Uint8Array, was: Usual): string[] {
  const wrong: string[] = []
  const named = (flaws: readonly string[]) => flaws.map(text => `${place}: ${text}`)
  project.write(path, bytes)
  // A proof is named by its issue.
  const name = /^\.premath\/proofs\/([^/]+)/.exec(path)?.[1] ?? path.split('/').at(-1) ?? ''
  const changed: string[] = []
  const some = isTorture ? reads : Array.from({ length: readsPerRound }, () => oneOf(reads))
  for (const read of some) {
    const [before, now] = [was.answers.get(read), asked(place, ...read)]
    // A file that was written again is the newest one, so lists have another order.
    if (before?.status === now.status && sorted(before.text) === sorted(now.text)) continue
    // Without its entry, a policy is in force by nobody.
    if (path === policyLogPath && now.text.includes('"standing": "by-hand"')) continue
    const how = `${read.join(' ')} (${now.status}): ${now.said.slice(0, 300)}`
    if (isDerived(path)) wrong.push(`depends on a derived file: ${how}`)
    else if (now.status === 0 || now.status === 1) changed.push(how)
    else if (!now.said.includes(name) && !now.said.includes('proof_row_mismatch'))
      wrong.push(`does not name the file: ${how}`)
  }
  const found = doctor(place).filter(({ what }) => !was.findings.has(steady(what)))
  const isMeant = path === rowsPath ? !haveAll(was.rows, bytes) : changed.length > 0
  if (isMeant && found.length === 0 && !isFree(path)) {
    wrong.push(`doctor finds nothing, and answers changed: ${changed.join('; ')}`)
  }
  // The next change can hide only what was found.
  if (found.length === 0 && !isTorture) return named(wrong)
  asked(place, 'issue', 'add', 'after the edit')
  const still = doctor(place)
  const isRight = haveAll(was.rows, project.read(rowsPath))
  for (const one of found) {
    const isThere = still.some(({ check }) => check === one.check)
    if (!isThere && !(isRight && isHealed(one)) && !isRecord(path))
      wrong.push(`the next change hides ${one.check}: ${one.what}`)
  }
  return named(wrong)
}

interface Usual {
  readonly answers: ReadonlyMap<readonly string[], Answer>
  readonly findings: ReadonlySet<string>
  readonly rows: ReadonlyMap<string, string>
}

test(
  `[memory.8.edits] a random edit changes nothing in silence (SEED=${seed})`,
  () => {
    project.restore()
    const paths = project.paths().filter(path => project.read(path).length > 0)
    const usual = {
      answers: new Map(reads.map(read => [read, asked('before', ...read)])),
      rows: lastRows(project.read(rowsPath)),
      findings: new Set(doctor('before').map(({ what }) => steady(what))),
    }
    const wrong: string[] = []
    for (let round = 0; round < rounds; round++) {
      project.restore()
      const group = oneOf(groups)
      const path = oneOf(paths.filter(one => group.test(one)))
      const { kind, bytes } = randomEdit(project.read(path), random)
      wrong.push(...flawsAfter(`edit ${round}, ${kind} in ${path}`, path, bytes, usual))
    }
    expect(wrong).toEqual([])
  },
  24 * 3_600_000,
)
