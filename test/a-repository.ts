/** Git repositories in a temporary folder, and the real git on them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { type LandingPlace, openLanding } from '../src/harness/landing/landing-git.ts'
import type { GitPlace } from '../src/harness/worktree/git.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeProcesses } from '../src/world/node-processes.ts'

const isGitThere = spawnSync('git', ['--version']).status === 0

/** A suite that needs git; without git its name says why it is skipped. */
export const describeWithGit = (name: string, tests: () => void) =>
  describe.skipIf(!isGitThere)(isGitThere ? name : `${name} (skipped: there is no git)`, tests)

const who = { NAME: 'a', EMAIL: 'a@example.org' }

/** Excludes the git settings of the machine and of a hook that runs the tests. */
/** The user of the tests, and no settings of a real one. */
export const gitVariables: Readonly<Record<string, string>> = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap(role =>
      Object.entries(who).map(([what, value]) => [`GIT_${role}_${what}`, value]),
    ),
  ),
}

export const gitEnv: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  ...gitVariables,
}

export const gitIn = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd, env: gitEnv, encoding: 'utf8', stdio: 'pipe' }).trimEnd()

export class Repository {
  /** Holds the repository and the other files of a test. */
  readonly folder: string
  readonly root: string

  constructor(folders: string) {
    this.folder = mkdtempSync(join(folders, 'a b '))
    this.root = join(this.folder, 'main tree')
    cpSync(join(folders, 'begun'), this.root, { recursive: true })
  }

  readonly git = (...args: readonly string[]) => gitIn(this.root, ...args)

  readonly place = (more: Partial<GitPlace> = {}): GitPlace => ({
    root: this.root,
    processes: nodeProcesses,
    disk: nodeDisk,
    env: gitEnv,
    ...more,
  })

  /** The same place for a run that lands. */
  readonly landingPlace = (more: Partial<GitPlace> = {}): Promise<LandingPlace> => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    const clock = { now: () => 0n, steady: () => 0n, sleep: async () => {} }
    return openLanding({ ...this.place(more), sha256, clock }, { hooks: false })
  }

  /** The same place with a script in front of git; the script calls the real git as `real`. */
  readonly placeWithGit = (...script: readonly string[]): GitPlace => {
    const bin = this.beside('bin')
    const path = gitEnv['PATH']
    const lines = ['#!/bin/sh', `real() { PATH='${path}' git "$@"; }`, ...script, 'real "$@"']
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), `${lines.join('\n')}\n`, { mode: 0o755 })
    return this.place({ env: { ...gitEnv, PATH: `${bin}:${path}` } })
  }

  beside(name: string): string {
    return join(this.folder, name)
  }

  /** The path of a worker's worktree. */
  worktree(worker: string): string {
    return join(this.root, '.premath/worktrees', worker)
  }
}

/** Returns the repository of the running test: a new one with one commit for each test. */
export function aRepository(): () => Repository {
  let folders = ''
  let repository: Repository | undefined
  // Registered here, since a skipped suite has nothing to clean up.
  beforeAll(() => {
    folders = realpathSync(mkdtempSync(join(tmpdir(), 'premath worktrees ')))
    const begun = join(folders, 'begun')
    gitIn(folders, 'init', '--quiet', '--initial-branch=main', begun)
    commit(begun, 'a.txt', 'first')
  })
  beforeEach(() => {
    repository = new Repository(folders)
  })
  afterAll(() => rmSync(folders, { recursive: true }))
  return () => {
    if (!repository) throw new Error('a repository is there while a test runs')
    return repository
  }
}

/** Writes a file, commits it, and returns the commit. */
export function commit(worktree: string, name: string, text = name): string {
  writeFileSync(join(worktree, name), text)
  gitIn(worktree, 'add', '--all')
  gitIn(worktree, 'commit', '--quiet', '-m', `write ${name}`)
  return gitIn(worktree, 'rev-parse', 'HEAD')
}
