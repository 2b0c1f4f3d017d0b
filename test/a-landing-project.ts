/** A project with a real test suite, and agents that edit the same files. */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Repository } from './a-git-project.ts'
import { main } from './built-command.ts'
import { withoutSandbox } from './without-sandbox.ts'

/** Every line of `list.txt` names a file in `items/`, and the other way round. */
const suite = `import { test } from 'node:test'
import { deepEqual } from 'node:assert'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
test('the list names every item', () => {
  const listed = readFileSync('list.txt', 'utf8').split('\\n').filter(line => line !== '')
  const items = existsSync('items') ? readdirSync('items') : []
  deepEqual(listed.slice(1).sort(), items.sort())
})
`

/** Adds an item at the end of the list. Two of them conflict; the next attempt keeps both sides. */
const agent = `#!/bin/sh
set -e
if grep -q '^<<<<<<<' list.txt; then
  grep -v -e '^<<<<<<< ' -e '^=======$' -e '^>>>>>>> ' list.txt > list.new
  mv list.new list.txt
  exit 0
fi
mkdir -p items
echo "$PREMATH_ISSUE_ID" > "items/$PREMATH_ISSUE_ID"
grep -q "^$PREMATH_ISSUE_ID$" list.txt || echo "$PREMATH_ISSUE_ID" >> list.txt
`

export const verifyCommand = 'node --test --test-reporter=dot'

/** Says the same of the list in a twentieth of the time. */
export const quickVerify = `[ "$(tail -n +2 list.txt | grep . | sort)" = "$(ls items 2>/dev/null | sort)" ]`

export interface Commit {
  readonly id: string
  readonly subject: string
  /** The issue that its trailer names. */
  readonly issueId: string
}

export class LandingProject extends Repository {
  constructor(name: string, files: Readonly<Record<string, string>> = {}) {
    super(name, { 'list.txt': 'items:\n', 'list.test.mjs': suite, ...files })
  }

  /** Writes a script outside of the repository, and returns the command that runs it. */
  script(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text)
    chmodSync(path, 0o755)
    return `'${path}'`
  }

  agent(): string {
    return this.script('agent', agent)
  }

  /** Issues with the ids that each waits for. */
  issues(waiting: Readonly<Record<string, readonly string[]>>): void {
    this.given(
      Object.entries(waiting).map(([id, on]) => ({
        id,
        title: `Add ${id}`,
        dependencies: on.map(other => ({ issue_id: id, depends_on_id: other, type: 'blocks' })),
      })),
    )
  }

  at(path: string): string {
    return join(this.root, path)
  }

  /** The commits of a branch that landed, oldest first. */
  landed(branch = 'main'): readonly Commit[] {
    const format = '%H%x09%s%x09%(trailers:key=Premath-Issue,valueonly,separator=%x2C)'
    return this.git('-C', this.root, 'log', '--reverse', `--format=${format}`, branch)
      .split('\n')
      .map(line => line.split('\t'))
      .map(([id = '', subject = '', issueId = '']) => ({ id, subject, issueId }))
      .filter(({ issueId }) => issueId !== '')
  }

  /** The commits of a branch on which the test suite fails. */
  redCommits(branch = 'main'): readonly string[] {
    const clone = mkdtempSync(join(this.folder, 'clone-'))
    this.git('clone', '--quiet', '--branch', branch, this.root, clone)
    const all = this.git('-C', clone, 'rev-list', branch).split('\n')
    const red = all.filter(commit => {
      this.git('-C', clone, 'checkout', '--quiet', '--detach', commit)
      // The runner would start a process of its own for each of them.
      const suites = readdirSync(clone).filter(name => name.endsWith('.test.mjs'))
      const setup = { cwd: clone, stdio: 'ignore', env: plainEnv } as const
      return (
        suites.length === 0 ||
        suites.some(name => spawnSync(process.execPath, [name], setup).status !== 0)
      )
    })
    rmSync(clone, { recursive: true })
    return red
  }

  read(path: string): string {
    return readFileSync(this.at(path), 'utf8')
  }

  issue(id: string) {
    return this.rows('issues.jsonl').findLast(row => row.id === id)
  }

  /** The issues that have one of these statuses. */
  ids(...statuses: readonly string[]): readonly string[] {
    const last = new Map(this.rows('issues.jsonl').map(row => [row.id, row.status ?? 'open']))
    return [...last].filter(([, status]) => statuses.includes(status)).map(([id]) => id)
  }

  /** Gives a claimed issue back, as its holder. */
  give(id: string): void {
    const { lease, metadata } = this.issue(id)
    const proof = ['--lease-id', lease.lease_id, '--fence', String(metadata.premathFence)]
    const { status, stderr } = this.premath(['issue', 'lease-release', id, ...proof])
    if (status !== 0) throw new Error(stderr)
  }

  /**
   * A folder for PATH with a git that kills premath, at the first command of that kind, or the first
   * once the file `since` of the repository is there.
   */
  gitThatKills(pattern: string, when: 'before' | 'after', since = ''): string {
    const bin = join(this.folder, 'bin')
    const path = process.env['PATH']
    const kill = `[ -e '${this.folder}/killed' ] || { touch '${this.folder}/killed'; kill -9 $(cat '${this.folder}/pid'); }`
    const act = when === 'before' ? `${kill}; exit 1` : `git "$@"; code=$?; ${kill}; exit $code`
    mkdirSync(bin)
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh
PATH='${path}'
case " $* " in
  ${pattern}) if [ -e '${this.at(since)}' ]; then ${act}; fi ;;
esac
exec git "$@"
`,
      { mode: 0o755 },
    )
    return bin
  }

  /** Runs premath with that folder in front of PATH. Tells if git killed it. */
  async runWithGit(bin: string, args: readonly string[]): Promise<boolean> {
    const PATH = `${bin}:${process.env['PATH']}`
    const child = spawn(
      'sh',
      [
        '-c',
        `echo $$ > '${this.folder}/pid'; exec "$@"`,
        'sh',
        process.execPath,
        main,
        ...withoutSandbox(args),
      ],
      {
        cwd: this.root,
        env: { ...process.env, TMPDIR: join(this.folder, 'tmp'), PATH },
        stdio: 'ignore',
      },
    )
    await new Promise(settle => child.on('close', settle))
    return existsSync(join(this.folder, 'killed'))
  }

  /** Everything that a run must remove: branches of issues, refs of landing, worktrees. */
  leftovers(): readonly string[] {
    const refs = this.git('-C', this.root, 'for-each-ref', '--format=%(refname)')
    return [
      ...refs.split('\n').filter(ref => /^refs\/(premath|heads\/premath)\//.test(ref)),
      ...this.worktrees.slice(1),
    ]
  }
}

/** A runner inside a test runner would report to it. */
const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_TEST_CONTEXT'),
)

/** The events of a run with `--json`. */
export const eventsIn = (stdout: string) =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
