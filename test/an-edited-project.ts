/** A project that real commands made once, with a file of every kind, and random edits of one of them. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { gitEnv, gitIn } from './a-repository.ts'
import { envelope, testPolicy } from './an-instruction.ts'
import { runInProcess } from './in-process.ts'
import { claims } from './mutation-surfaces.ts'
import { withoutSandbox } from './without-sandbox.ts'

const instructionId = '20260221T000000Z-wiring'
export const instructionPath = `instructions/${instructionId}.json`

const instruction = {
  ...envelope,
  instructionType: 'ci.gate.check',
  capabilityClaims: claims('issue_claim'),
  scope: { kind: 'repo', mutations: [{ action: 'issue_claim', issueId: 'bd-7' }] },
}

/** The folders whose files are edited. The second one is in git's common directory. */
const edited = ['.premath', '.git/premath', 'artifacts']

export function anEditedProject() {
  const folders = mkdtempSync(join(tmpdir(), 'premath edits '))
  const [made, folder] = [join(folders, 'made'), join(folders, 'project')]
  const env = {
    ...gitEnv,
    XDG_CACHE_HOME: join(folders, 'cache'),
    XDG_STATE_HOME: join(folders, 'state'),
  }
  afterAll(() => rmSync(folders, { recursive: true }))

  const premath = (...args: readonly string[]) =>
    runInProcess({ args: withoutSandbox([...args, '--json']), cwd: folder, env, input: '' })
  const done = (...args: readonly string[]) => {
    const { status, stdout, stderr } = premath(...args)
    expect(status, `${args.join(' ')}\n${stderr}`).toBe(0)
    return JSON.parse(stdout)
  }
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const commit = () => {
    gitIn(folder, 'add', '--all')
    gitIn(folder, 'commit', '--quiet', '--message', 'x')
  }

  beforeAll(() => {
    mkdirSync(folder)
    gitIn(folder, 'init', '--quiet', '--template=', '--initial-branch=main')
    done('init')
    put('policies/instruction/test-v1.json', JSON.stringify(testPolicy))
    put(instructionPath, JSON.stringify(instruction))
    const checks = { 'hk-check': 'true' }
    put(
      '.premath/checks.json',
      JSON.stringify({ schema: 1, checksKind: 'premath.checks.v1', checks }),
    )
    commit()
    for (const title of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) {
      done('issue', 'add', title, '--description', `about ${title}`, '--label', 'a')
    }
    done('dep', 'add', 'bd-2', 'bd-1')
    done('dep', 'add', 'bd-4', 'bd-3', '--type', 'discovered-from')
    done('issue', 'comment', 'bd-2', 'a comment')
    done('issue', 'claim', 'bd-3', '--assignee', 'ann')
    done(
      'issue',
      'lease-release',
      'bd-3',
      '--assignee',
      'ann',
      '--lease-id',
      'lease1_bd-3_ann',
      '--fence',
      '1',
    )
    done('issue', 'claim', 'bd-3', '--assignee', 'bob', '--lease-ttl-seconds', '86400')
    done('issue', 'close', 'bd-6', '--force', '--reason', 'not needed')
    done(
      'harness-step',
      '--issue',
      'bd-1',
      '--work-cmd',
      'echo ok > a.txt',
      '--verify-cmd',
      'test -f a.txt',
    )
    premath(
      'harness-step',
      '--issue',
      'bd-5',
      '--work-cmd',
      'true',
      '--verify-cmd',
      'test -f b.txt',
    )
    done(
      'harness-feature',
      'write',
      '--feature-id',
      'login',
      '--status',
      'pending',
      '--issue-id',
      'bd-2',
    )
    done('instruction-run', '--instruction', instructionPath)
    done('issue', 'claim', 'bd-7', '--assignee', 'agent', '--instruction', instructionId)
    done('config', 'set', 'retention.days', '30')
    done('policy', 'set', '--input', '.premath/checks.json', '--reason', 'reviewed')
    done('issue', 'list')
    done('issue', 'add', 'the last one')
    cpSync(folder, made, { recursive: true, preserveTimestamps: true })
  })

  /** Puts every file back. */
  const restore = () => {
    rmSync(folder, { recursive: true })
    cpSync(made, folder, { recursive: true, preserveTimestamps: true })
  }

  /** The paths of all files that may be edited, in order. */
  const paths = () =>
    edited
      .flatMap(part => filesIn(join(folder, part)))
      .map(path => path.slice(folder.length + 1))
      .sort()

  return {
    folder,
    premath,
    restore,
    paths,
    read: (path: string) => readFileSync(join(folder, path)),
    /** In place: the file stays the same one. */
    write: (path: string, bytes: Uint8Array) => writeFileSync(join(folder, path), bytes),
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : []
  })
}

const kinds = ['flip', 'byte', 'cut', 'duplicate', 'swap', 'drop'] as const
export type EditKind = (typeof kinds)[number]

/** One random edit. The answer may be equal to what it was: a swap of equal lines. */
export function randomEdit(
  bytes: Uint8Array,
  random: () => number,
): { readonly kind: EditKind; readonly bytes: Uint8Array } {
  const kind = kinds[Math.floor(random() * kinds.length)] ?? 'flip'
  return { kind, bytes: editOf(kind, bytes, random) }
}

function editOf(kind: EditKind, bytes: Uint8Array, random: () => number): Uint8Array {
  const below = (count: number) => Math.floor(random() * count)
  if (kind === 'flip' || kind === 'byte') {
    const changed = Uint8Array.from(bytes)
    const at = below(bytes.length)
    // A letter or a digit in the place of another is what most often stays readable.
    const letters = new TextEncoder().encode('abcdef0123456789')
    const old = changed[at] ?? 0
    changed[at] = kind === 'flip' ? old ^ (1 << below(8)) : (letters[below(16)] ?? 0)
    return changed
  }
  if (kind === 'cut') return bytes.slice(0, below(bytes.length))
  const lines = linesOf(bytes)
  const [from, to] = [below(lines.length), below(lines.length)]
  const [one, other] = [lines[from] ?? new Uint8Array(), lines[to] ?? new Uint8Array()]
  if (kind === 'duplicate') lines.splice(to, 0, one)
  else if (kind === 'drop') lines.splice(from, 1)
  else {
    lines[from] = other
    lines[to] = one
  }
  return Buffer.concat(lines)
}

/** Each with its line end. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let from = 0; from < bytes.length; ) {
    const next = bytes.indexOf(0x0a, from)
    const to = next < 0 ? bytes.length : next + 1
    lines.push(bytes.subarray(from, to))
    from = to
  }
  return lines
}
