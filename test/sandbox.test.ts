/** Real bubblewrap: honest work lands from the sandbox, and hostile work changes nothing outside. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventsIn, LandingProject, verifyCommand } from './a-landing-project.ts'
import { premathInShell } from './a-loop.ts'
import { isSandboxed } from './bubblewrap.ts'
import { main } from './built-command.ts'

let project: LandingProject
let home: string

beforeEach(() => {
  project = new LandingProject('sandbox')
  home = join(project.folder, 'home')
  mkdirSync(join(home, '.ssh'), { recursive: true })
  mkdirSync(join(home, '.claude/projects'), { recursive: true })
  writeFileSync(join(home, '.ssh/id_ed25519'), 'secret key\n')
  writeFileSync(join(home, '.bashrc'), 'umask 022\n')
  writeFileSync(join(home, '.notes'), 'a note of the user\n')
  writeFileSync(join(home, '.npmrc'), '//r/:_authToken=abc\nfund=false\n')
  writeFileSync(join(home, '.claude/settings.json'), '{}\n')
})

afterEach(() => project.remove())

const inHome = (more: Record<string, string> = {}) => ({ env: { HOME: home, ...more } })

/** One step of `premath harness-step` in the main worktree. */
function step(work: string, verify = 'true', ...more: readonly string[]) {
  const commands = ['--work-cmd', work, '--verify-cmd', verify]
  const args = ['harness-step', '--sandbox', 'require', ...commands, ...more]
  const { status, stdout, stderr } = project.premath([...args, '--json'], inHome())
  return { status, stderr, json: JSON.parse(stdout) }
}

/** A run whose work lands. */
async function run(work: string, verify = 'true', workers = '1', ...more: readonly string[]) {
  const commands = ['--work-cmd', work, '--verify-cmd', verify]
  const given = ['--workers', workers, ...commands, ...more]
  const args = ['run', '--sandbox', 'require', ...given, '--json']
  const { status, stdout, stderr } = await project.start(args, inHome()).ended
  return { status, stderr, events: stdout.startsWith('{\n') ? [] : eventsIn(stdout) }
}

const outputOf = (stepId: string, name: string) => {
  const path = project.at(`artifacts/steps/${stepId}/${name}`)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

const git = (...args: readonly string[]) => project.git('-C', project.root, ...args)

describe.runIf(isSandboxed)('honest work in the sandbox', () => {
  test('lands commits, merges and rebases of the work', async () => {
    project.issues({ a: [], b: ['a'] })
    const work = project.script(
      'work',
      `#!/bin/sh
set -e
if [ "$PREMATH_ISSUE_ID" = a ]; then
  git checkout -q -b side; echo side > side.txt; git add side.txt; git commit -q -m side
  git checkout -q premath/a; echo own > own.txt; git add own.txt; git commit -q -m own
  git merge -q --no-ff -m merge side
else
  git checkout -q --detach HEAD; echo 1 > one.txt; git add one.txt; git commit -q -m one
  git checkout -q premath/b; echo 2 > two.txt; git add two.txt; git commit -q -m two
  git rebase -q HEAD@{1} 2>/dev/null || git rebase -q HEAD; git stash list
  echo 3 > three.txt; git add three.txt; echo 4 > four.txt
fi
`,
    )
    const { status } = await run(work)
    expect(status).toBe(0)
    expect(project.landed().map(({ issueId }) => issueId)).toEqual(['a', 'b'])
    expect(git('ls-tree', '--name-only', '-r', 'main').split('\n')).toEqual(
      expect.arrayContaining(['side.txt', 'own.txt', 'two.txt', 'three.txt', 'four.txt']),
    )
    expect(project.leftovers()).toEqual([])
    expect(git('fsck', '--connectivity-only')).not.toMatch(/missing|broken/)
    expect(git('status', '--porcelain')).toBe('')
  })

  test('runs the tests of the project, node and python, and reads the home folder', async () => {
    project.issues({ a: [] })
    const python = `python3 -c 'import tempfile; tempfile.TemporaryFile().write(b"x")'`
    const work = `cat "$HOME/.notes" > note.txt && node -e 'require("fs").writeFileSync("n.txt", require("os").tmpdir())' && ${python} && ${verifyCommand}`
    const { status } = await run(work, verifyCommand)
    expect(status).toBe(0)
    expect(project.read('note.txt')).toBe('a note of the user\n')
    expect(project.read('n.txt')).toBe('/tmp')
  })

  test('a second attempt finds the conflict of the first, and resolves it', async () => {
    project.issues({ a: [], b: [] })
    const { status } = await run(project.agent(), verifyCommand, '2')
    expect(status).toBe(0)
    expect(project.ids('closed')).toEqual(['a', 'b'])
    expect(project.redCommits()).toEqual([])
  })

  test('a step in the main worktree moves its branch, and keeps the index', () => {
    project.issues({ a: [] })
    const { status } = step(
      'echo 1 > one.txt; git add one.txt; git commit -q -m one; echo 2 > two.txt; git add two.txt; echo 3 > three.txt',
    )
    expect(status).toBe(0)
    expect(git('log', '--format=%s', '-1', 'main')).toBe('one')
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(git('status', '--porcelain').split('\n')).toEqual(['A  two.txt', '?? three.txt'])
  })

  test('leaves turns in the mailbox, which the gate judges', () => {
    project.issues({ a: [] })
    const { json } = step('echo x > x; echo "not a turn" > "$PREMATH_TURN_EVIDENCE"')
    expect(json.failureClasses).toContain('tool.schema_invalid')
    expect(project.issue('a').status).not.toBe('closed')
  })

  test('asks the harness for a comment, also without the variable of its step', () => {
    project.issues({ a: [], b: [] })
    const { status, json } = step(
      [
        'echo x > x',
        `env -u PREMATH_STEP_ID ${premathInShell} comment b seen`,
        `env -i ${premathInShell} issue discover b Found`,
        `env -u PREMATH_STEP_ID ${premathInShell} issue update b --title Mine || echo refused > said`,
        `mkfifo "$(dirname "$PREMATH_TURN_EVIDENCE")/pipe"`,
      ].join('\n'),
      `! ${premathInShell} comment b late`,
      ...['--issue', 'a'],
    )
    expect(status).toBe(0)
    expect(json.requests).toMatchObject([
      { action: 'issue.comment', result: 'taken' },
      { action: 'issue.discover', result: 'taken' },
    ])
    expect(json.notes).toEqual([expect.stringContaining('pipe: it is not a plain file')])
    expect(project.read('said')).toBe('refused\n')
    expect(project.issue('b')).toMatchObject({ title: 'Add b', comments: [{ text: 'seen' }] })
  })

  test('closes an issue by its specs, with the witness from the sandbox', () => {
    const spec =
      '# Spec\n\n```yaml spec-test\nid: SBX-1\ntype: text.file\npath: /done.txt\nassert:\n  - target: text\n    must:\n      - contain: ["yes"]\n```\n'
    mkdirSync(project.at('specs'))
    writeFileSync(project.at('specs/done.spec.md'), spec)
    git('add', '--all')
    git('commit', '--quiet', '--message', 'Specify')
    project.given([{ id: 'a', title: 'A', metadata: { premathSpecs: ['specs/done.spec.md'] } }])
    const { status, json } = step('echo yes > done.txt')
    expect([status, json.failureClasses ?? []]).toEqual([0, []])
  })

  test('a start-up command makes files in the worktrees, and writes nothing else', async () => {
    project.issues({ a: [] })
    writeFileSync(project.at('.gitignore'), '.premath/\nartifacts/\ndeps/\n')
    git('commit', '--quiet', '--all', '--message', 'Ignore')
    const start = `mkdir -p deps; echo dep > deps/dep; touch '${project.at('evil')}' "$HOME/evil" || true`
    const { status } = await run(
      'cat deps/dep > got.txt',
      'cat deps/dep',
      '1',
      '--startup-cmd',
      start,
    )
    expect(status).toBe(0)
    expect(project.read('got.txt')).toBe('dep\n')
    expect([existsSync(project.at('evil')), existsSync(join(home, 'evil'))]).toEqual([false, false])
  })

  test('passes exit codes on, and lets a command end by itself when its time is over', () => {
    project.issues({ a: [] })
    expect(step('exit 127').status).toBe(3)
    const { json } = step(
      'trap "echo ended > ended.txt; exit 9" TERM; sleep 30 & wait',
      'true',
      ...['--work-timeout-seconds', '1'],
    )
    expect(json.attempts[0].failureClasses).not.toEqual([])
    expect(project.read('ended.txt')).toBe('ended\n')
    expect(project.processes).toEqual([])
  })

  test.runIf(process.getuid?.() === 0)('works for an ordinary user', () => {
    project.issues({ a: [] })
    const uid = 65534
    const give = (path: string) => {
      chownSync(path, uid, uid)
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        const inner = join(path, entry.name)
        if (entry.isDirectory()) give(inner)
        else chownSync(inner, uid, uid)
      }
    }
    give(project.folder)
    const work = 'echo 1 > one.txt; git add one.txt; git commit -q -m one'
    const args = [
      'harness-step',
      '--sandbox',
      'require',
      '--work-cmd',
      work,
      '--verify-cmd',
      'true',
    ]
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
      cwd: project.root,
      env: { PATH: process.env['PATH'], HOME: home },
      encoding: 'utf8',
      uid,
      gid: uid,
    })
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('not sandboxed')])
    expect(
      project.git(
        '-c',
        `safe.directory=${project.root}`,
        '-C',
        project.root,
        'log',
        '-1',
        '--format=%s',
      ),
    ).toBe('one')
  })
})

describe.runIf(isSandboxed)('hostile work in the sandbox', () => {
  /** Each line is tried by itself. */
  const attacks = () => `
echo '{"id":"z","title":"Z"}' >> "$PREMATH_ROOT/.premath/issues.jsonl"
touch "$PREMATH_ROOT/.premath/evil"
rm -rf "$PREMATH_ROOT/.premath/issues.jsonl"
mv "$PREMATH_ROOT/.premath" "$PREMATH_ROOT/.moved"
touch "$PREMATH_ROOT/artifacts/evil" "$PREMATH_ROOT/artifacts/steps/evil"
touch "$PREMATH_ROOT/evil"
echo evil >> "$PREMATH_ROOT/list.txt"
git update-ref refs/heads/main HEAD~0; git commit -q --allow-empty -m evil; git update-ref refs/heads/main HEAD
git config core.hooksPath /tmp/evil
echo '[core] fsmonitor = touch ${project.folder}/pwned' >> "$PREMATH_ROOT/.git/config"
rm -f "$PREMATH_ROOT/.git/config"
mv "$PREMATH_ROOT/.git/config" "$PREMATH_ROOT/.git/config2"
echo evil > "$PREMATH_ROOT/.git/hooks/pre-commit"
mv "$PREMATH_ROOT/.git/hooks" "$PREMATH_ROOT/.git/hooks2"
echo evil >> "$PREMATH_ROOT/.git/info/exclude"
echo /tmp > "$PREMATH_ROOT/.git/objects/info/alternates"
mv "$PREMATH_ROOT/.git/objects" "$PREMATH_ROOT/.git/objects2"
mv "$PREMATH_ROOT/.git/worktrees" "$PREMATH_ROOT/.git/worktrees2"
for f in gitdir commondir; do echo /tmp > "$PREMATH_ROOT/.git/worktrees/worker.1/$f"; done
rm -rf "$PREMATH_ROOT/.git/objects" "$PREMATH_ROOT/.git/refs" "$PREMATH_ROOT/.git/packed-refs"
echo 'gitdir: /tmp/evil' > .git
mv .git .git2
rm -f .git
rm -rf .premath/worker; ln -s /etc .premath/worker
mv .premath .premath2
touch "$PREMATH_ROOT/.premath/worktrees/verify.1/evil"
for w in worker.1 worker.2; do touch "$PREMATH_ROOT/.premath/worktrees/$w/from-$PREMATH_WORKER_ID"; done
echo evil >> "$HOME/.bashrc"
touch "$HOME/.profile"
echo '{"hooks":1}' > "$HOME/.claude/settings.json"
echo '{"hooks":1}' > "$HOME/.claude/settings.local.json"
cat "$HOME/.ssh/id_ed25519" > stolen.txt
grep -s _authToken "$HOME/.npmrc" > token.txt
touch ${project.folder}/evil
kill -9 $(cat ${project.folder}/pid)
setsid sh -c 'sleep 4242' &
env -u PREMATH_STEP_ID ${premathInShell} close a --force --reason x
env -i PATH="$PATH" ${premathInShell} close a --force --reason x
`

  /** Every file in a folder, with its content. */
  function filesIn(folder: string, but: RegExp): Record<string, string> {
    const found: Record<string, string> = {}
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (but.test(path)) continue
      try {
        found[path] = readFileSync(join(folder, path), 'latin1')
      } catch {
        found[path] = '(folder)'
      }
    }
    return found
  }

  test('changes nothing but its worktree, and leaves no process', async () => {
    project.issues({ a: [], b: [] })
    const lines = attacks().trim().split('\n')
    const tried = lines.map((line, at) => `( ${line}\n) && echo 'attack ${at} ran'`)
    const work = project.script('hostile', `#!/bin/sh\n${tried.join('\n')}\necho mine > mine.txt\n`)
    // Objects, refs and worktrees of the run itself come and go.
    const own =
      /^(objects|premath|logs|refs\/(heads\/)?premath|worktrees)(\/|$)|^(ORIG_HEAD|index)$/
    const before = { git: filesIn(project.at('.git'), own), home: filesIn(home, /^$/) }
    const pid = `echo $$ > '${project.folder}/pid'; exec "$@"`
    const args = ['run', '--sandbox', 'require', '--workers', '2', '--json']
    const ended = spawnSync(
      'sh',
      [
        '-c',
        pid,
        'sh',
        process.execPath,
        main,
        ...args,
        '--work-cmd',
        work,
        '--verify-cmd',
        'true',
      ],
      { cwd: project.root, env: { ...process.env, HOME: home }, encoding: 'utf8' },
    )
    expect([ended.signal, ended.stderr]).toEqual([null, ''])
    const [first] = project.rows('harness_trajectory.jsonl')
    // Some attacks succeed in the private folders, so they were tried.
    expect(outputOf(first.stepId, 'work.stdout')).toContain('ran')
    expect(project.ids('closed').length).toBeGreaterThan(0)
    expect(filesIn(project.at('.git'), own)).toMatchObject({
      config: before.git['config'],
      HEAD: before.git['HEAD'],
    })
    expect(Object.keys(filesIn(project.at('.git'), own)).sort()).toEqual(
      expect.arrayContaining(Object.keys(before.git).sort()),
    )
    expect(filesIn(home, /^$/)).toEqual(before.home)
    expect(project.landed().map(({ subject }) => subject)).not.toContain('evil')
    expect(project.rows('issues.jsonl').map(({ id }) => id)).not.toContain('z')
    for (const { id } of project.landed()) {
      const names = git('show', '--name-only', '--format=', id).split('\n')
      expect(names).not.toContain('evil')
      // A worker that writes to the worktree of the other would leave a second one there.
      expect(names.filter(name => name.startsWith('from-'))).toHaveLength(1)
    }
    for (const path of [
      'evil',
      '.moved',
      '.premath/evil',
      'artifacts/evil',
      'artifacts/steps/evil',
    ]) {
      expect([path, existsSync(project.at(path))]).toEqual([path, false])
    }
    for (const path of ['evil', 'pwned']) {
      expect([path, existsSync(join(project.folder, path))]).toEqual([path, false])
    }
    expect(project.read('list.txt')).toBe('items:\n')
    for (const path of ['stolen.txt', 'token.txt']) {
      if (existsSync(project.at(path))) expect(project.read(path)).toBe('')
    }
    const listed = spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).stdout
    expect(listed).not.toContain('sleep 4242')
    for (const row of project.rows('issues.jsonl')) expect(row.reason).not.toBe('x')
  }, 120_000)

  test('a repository in the worktree makes git run nothing outside', async () => {
    project.issues({ a: [], b: [] })
    const pwned = join(project.folder, 'pwned')
    const evil = project.script(
      'evil',
      `#!/bin/sh
git init -q sub && cd sub
git config user.name x; git config user.email x; echo a > a; git add a; git commit -q -m a
git config filter.x.clean "touch '${pwned}'; cat"; echo '* filter=x' > .gitattributes
git add .; git commit -q -m b; git config core.fsmonitor "touch '${pwned}'; false"
cd ..; git add sub; git commit -q -m sub; sleep 0.1; touch sub/a
`,
    )
    const { status } = await run(evil, evil, '1', '--max-steps', '1', '--no-baseline')
    expect([status, existsSync(pwned)]).toEqual([0, false])
    expect(step(evil, evil).status).toBe(0)
    expect(existsSync(pwned)).toBe(false)
  })

  test('a verification sees neither memory nor keys nor the login of the agent', async () => {
    project.issues({ a: [] })
    const verify = project.script(
      'verify',
      `#!/bin/sh
ls -A "$PREMATH_ROOT/.premath" "$PREMATH_ROOT/artifacts" "$HOME/.ssh" "$HOME/.claude"
echo "key:$ANTHROPIC_API_KEY"
git commit -q --allow-empty -m evil; touch "$PREMATH_ROOT/evil" 2>/dev/null; true
`,
    )
    const args = ['run', '--sandbox', 'require', '--workers', '1', '--json', '--no-baseline']
    const commands = ['--work-cmd', 'echo "$ANTHROPIC_API_KEY" > k.txt', '--verify-cmd', verify]
    const env = inHome({ ANTHROPIC_API_KEY: 'sk-1' })
    const { status, stdout } = await project.start([...args, ...commands], env).ended
    expect([status, eventsIn(stdout).at(-1)?.closed]).toEqual([0, ['a']])
    const printed = outputOf('worker.1.a.1.1', 'verify.stdout')
    const shown = printed.split('\n').filter(line => line !== '' && !line.endsWith(':'))
    expect(shown).toEqual(
      ['worktrees', 'ciwitness', 'steps', 'key:'].filter(line => shown.includes(line)),
    )
    expect(printed).toContain('key:\n')
    expect(project.read('k.txt')).toBe('sk-1\n')
    expect(existsSync(project.at('evil'))).toBe(false)
  })

  test('has no network if the project says so', () => {
    project.issues({ a: [] })
    writeFileSync(project.at('.premath/config.json'), '{"network": "off"}')
    const names = `node -e 'console.log(Object.keys(require("os").networkInterfaces()).join())' > net.txt`
    expect(step(names).status).toBe(0)
    expect(project.read('net.txt')).toBe('lo\n')
  })

  test('is told in the feedback where it may write', () => {
    project.issues({ a: [] })
    const { json } = step('touch "$HOME/x"')
    const [{ stepId }] = json.attempts
    const { lines } = JSON.parse(outputOf(stepId, 'failure.json'))
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`It may write to ${project.root}, /tmp`)
  })
})

describe('the mode of the sandbox', () => {
  /** A bwrap that fails, in front of PATH. */
  function withoutNamespaces() {
    const bin = join(project.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions" >&2; exit 1\n')
    chmodSync(join(bin, 'bwrap'), 0o755)
    return { env: { HOME: home, PATH: `${bin}:${process.env['PATH']}` } }
  }
  const commands = ['--work-cmd', 'echo x > x', '--verify-cmd', 'true']

  test('auto says why there is none, and row and proof record it', () => {
    project.issues({ a: [] })
    const args = ['harness-step', '--sandbox', 'auto', ...commands]
    const { status, stderr } = project.premath(args, withoutNamespaces())
    expect(status).toBe(0)
    expect(stderr).toContain('note: not sandboxed: No permissions\n')
    expect(project.rows('harness_trajectory.jsonl')).toMatchObject([{ sandbox: 'off' }])
    expect(chainOf('a')).toMatchObject({ sandbox: 'off' })
  })

  test('require exits 3 and claims nothing', () => {
    project.issues({ a: [] })
    const args = ['harness-step', '--sandbox', 'require', ...commands]
    const { status, stderr } = project.premath(args, withoutNamespaces())
    expect([status, stderr]).toEqual([
      3,
      expect.stringContaining('the sandbox does not work here: No permissions'),
    ])
    expect(project.rows('issues.jsonl')).toHaveLength(1)
  })

  test('a run says in each of its runs that it has none', async () => {
    project.issues({ a: [] })
    const args = ['run', '--workers', '1', '--sandbox', 'auto', ...commands, '--json']
    const { stdout } = await project.start(args, withoutNamespaces()).ended
    const notes = eventsIn(stdout).filter(({ event }) => event === 'note')
    expect(notes.map(({ message }) => message)).toContain('not sandboxed: No permissions')
  })

  test.runIf(isSandboxed)('row, record and proof name bubblewrap', () => {
    project.issues({ a: [] })
    expect(step('echo x > x').status).toBe(0)
    const [row] = project.rows('harness_trajectory.jsonl')
    expect(row).toMatchObject({ sandbox: 'bubblewrap' })
    expect(JSON.parse(outputOf(row.stepId, 'record.json'))).toMatchObject({ sandbox: 'bubblewrap' })
    expect(outputOf(row.stepId, 'turn.json')).toContain('"sandboxRef":"sandbox://bubblewrap"')
    expect(chainOf('a')).toMatchObject({ sandbox: 'bubblewrap' })
    expect(project.asked('witness', 'verify', 'a').status).toBe(0)
  })

  /** The chain in the proof of an issue. */
  function chainOf(id: string) {
    const folder = project.at(`.premath/proofs/${id}`)
    const [name = ''] = readdirSync(folder)
    const { files } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const chain = Object.keys(files).find(file => file.startsWith('chain-')) ?? ''
    return JSON.parse(files[chain])
  }
})
