/** Work that changes what judges it does not land, unless a person allowed it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Repository } from './a-git-project.ts'
import { retryPolicyWith } from './a-retry-policy.ts'

const spec = `# A greeting

\`\`\`yaml spec-test
id: GREETS
type: cli.run
harness: {entrypoint: cat greeting.txt}
argv: []
assert:
- target: stdout
  must:
  - contain: [hello]
\`\`\`
`

const files = {
  'check.sh': '. ./lib.sh\ntest -e greeting.txt && grep -q kept kept.txt\n',
  'lib.sh': ':\n',
  'kept.txt': 'kept\n',
  'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q"\n',
  'greeting.spec.md': spec,
  'a.test.js': 'exit 1\n',
  'package.json': '{ "scripts": { "test": "sh check.sh" }, "dependencies": {} }\n',
}

let repository: Repository
beforeEach(() => {
  repository = new Repository('protection', files)
  repository.given([{ id: 'bd-1', title: 'Greet' }])
})
afterEach(() => repository.remove())

const run = (work: string, ...more: readonly string[]) => verifiedRun('sh check.sh', work, ...more)

const verifiedRun = (verify: string, work: string, ...more: readonly string[]) => {
  const commands = ['--work-cmd', work, '--verify-cmd', verify, '--no-baseline']
  const { stdout, stderr } = repository.premath([
    'run',
    '--workers',
    '1',
    ...commands,
    ...more,
    '--json',
  ])
  const events = stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
  return {
    classes: events
      .filter(({ event }) => event === 'attempt.ended')
      .flatMap(({ failureClasses }) => failureClasses),
    notes: events.flatMap(({ event, message }) => (event === 'note' ? [message] : [])),
    stderr,
    closed: events.find(({ event }) => event === 'run.ended').closed,
    summaries: events.flatMap(({ event, summary }) => (event === 'attempt.ended' ? [summary] : [])),
  }
}

const landed = () => repository.git('-C', repository.root, 'log', '--format=%s', 'main')

const greets = 'echo hello > greeting.txt'

/** A refusal is tried once, which is enough to see it. */
const once = () => {
  const rule = {
    ruleId: 'one_attempt',
    failureClasses: ['protected_path_changed'],
    maxAttempts: 1,
    backoffClass: 'none',
    escalationAction: 'mark_blocked',
  }
  const path = join(repository.folder, 'retry.json')
  writeFileSync(path, retryPolicyWith({ rules: [rule] }))
  return ['--retry-policy', path]
}

describe('work that changes what judges it is refused', () => {
  test.each([
    ['an existing test', 'echo exit 0 > a.test.js', 'a.test.js (exists, and only new files'],
    ['a test that it removes', 'rm -f a.test.js', 'a.test.js (exists'],
    ['the script that verifies', 'echo true > check.sh', 'check.sh (must stay'],
    [
      'the scripts of a package',
      `echo '{ "scripts": { "test": "true" } }' > package.json`,
      'package.json (has other scripts)',
    ],
    ['a workflow', 'mkdir -p .github/workflows && touch .github/workflows/x.yml', '.github/'],
    [
      'a link among tests',
      'mkdir -p test && ln -sf ../a.test.js test/link',
      'test/link (is a link',
    ],
    ['a test by another case', 'test -e A.TEST.js || git mv a.test.js A.TEST.js', 'A.TEST.js'],
    [
      'a test that it commits itself',
      'echo 0 > a.test.js && (git commit -qam x || true)',
      'a.test.js',
    ],
  ])('%s', (_, change, words) => {
    const { classes, closed, summaries } = run(`${greets}; ${change}`, ...once())
    expect(classes).toEqual(['protected_path_changed'])
    expect(summaries[0]).toContain(words)
    expect(closed).toEqual([])
    expect(landed()).toBe('The project begins.')
  })

  test.each([
    ['a program among packages', 'mkdir -p node_modules/.bin; echo x > node_modules/.bin/node'],
    ['the shell of npm', 'echo script-shell=./sh > .npmrc'],
    ['the settings of pytest', `echo '[tool.pytest]' > pyproject.toml`],
    ['the script of a script', 'echo true > check.sh'],
    ['a script that it reads', 'echo exit 0 > lib.sh'],
    ['a policy', 'mkdir -p policies/instruction; echo {} > policies/instruction/a.json'],
    ['an instruction', 'mkdir -p instructions; echo {} > instructions/a.json'],
  ])('[trust.31.runs-tests] %s', (_, change) => {
    const { classes, closed } = verifiedRun('npm test', `${greets}; ${change}`, ...once())
    expect(classes).toEqual(['protected_path_changed'])
    expect(closed).toEqual([])
  })

  test('its own specs', () => {
    repository.premath(['issue', 'update', 'bd-1', '--spec', 'greeting.spec.md'])
    const { classes, closed, summaries } = run(
      `${greets}; sed -i s/hello/h/ greeting.spec.md; echo h > greeting.txt`,
    )
    expect(classes).toEqual(Array(3).fill('close_specs_changed'))
    expect(summaries[0]).toBe('the work changed the specs that judge it: greeting.spec.md')
    expect(closed).toEqual([])
    expect(landed()).toBe('The project begins.')
  })
})

test('[trust.29.attributes] a verification has its files as a fresh clone would', () => {
  // After the first of two commits, git takes unchanged files in the checkout for known.
  repository.given([
    { id: 'bd-1', title: 'Greet', priority: 0 },
    { id: 'bd-2', title: 'Greet again', priority: 1 },
  ])
  repository.premath(['issue', 'update', 'bd-2', '--may-change', '.gitattributes'])
  const utf16 = `echo 'kept.txt working-tree-encoding=UTF-16' > .gitattributes`
  const work = `${greets}; echo x > $PREMATH_ISSUE_ID; test $PREMATH_ISSUE_ID = bd-1 || ${utf16}`
  const { classes, closed } = run(work)
  expect(new Set(classes)).toEqual(new Set(['check_failed']))
  expect(closed).toEqual(['bd-1'])
})

test('[trust.29.neutral] a run proves the bytes that are in any clone, whatever git does to line ends', () => {
  repository.git('-C', repository.root, 'config', 'core.autocrlf', 'true')
  const bytes = `test "$(od -An -c greeting.txt | tr -d ' ')" = 'hello\\n'`
  expect(verifiedRun(bytes, greets).closed).toEqual(['bd-1'])
})

test('[trust.30.settings] settings that changed during a run are not committed', () => {
  const { git, root } = repository
  repository.premath(['config', 'set', 'verify', 'sh check.sh'])
  writeFileSync(join(root, '.gitignore'), 'artifacts/\n.premath/worktrees\n.premath/steps\n')
  git('-C', root, 'add', '--all')
  git('-C', root, 'commit', '--quiet', '--message', 'Memory')
  const edits = `echo '{"verify":"true"}' > "$PREMATH_ROOT/.premath/config.json"`
  const { closed, stderr } = run(`${greets}; ${edits}`)
  expect(closed).toEqual(['bd-1'])
  expect(stderr).toContain('.premath/config.json changed during the run, and is not committed')
  expect(landed().split('\n')[0]).toBe('Record issue memory')
  expect(git('-C', root, 'show', 'main:.premath/config.json')).toContain('sh check.sh')
})

test('a person reads how to allow it', () => {
  const { summaries } = run(`${greets}; echo 0 > a.test.js`)
  expect(summaries[0]).toContain('premath issue update bd-1 --may-change <pattern>')
})

test('[trust.31.memory] changes of .premath never land, and are named', () => {
  const changes = `${greets}; mkdir -p .premath; echo '{}' > .premath/config.json; git add -f .premath/config.json`
  const told = `grep -q 'the work changed .premath/config.json, which never lands' "$PREMATH_FEEDBACK_FILE" && touch told`
  const { classes, closed, notes } = run(`${changes}; ${told} || rm -f greeting.txt`)
  expect(classes).toEqual(['work_changed_nothing'])
  expect(closed).toEqual(['bd-1'])
  expect(notes).toContain('the work changed .premath/config.json, which never lands')
  const files = repository.git('-C', repository.root, 'ls-tree', '-r', '--name-only', 'main')
  expect(files).toContain('told')
  expect(files).not.toContain('.premath/config.json')
})

test('the next attempt is told, and can put it right', () => {
  const work = `if grep -q 'a.test.js (exists' "$PREMATH_FEEDBACK_FILE" 2>/dev/null; then git checkout -q main -- a.test.js; else ${greets}; echo 0 > a.test.js; fi`
  const { classes, closed } = run(work)
  expect(classes).toEqual(['protected_path_changed'])
  expect(closed).toEqual(['bd-1'])
})

describe('honest work lands', () => {
  test.each([
    ['a new test', 'mkdir test && echo 1 > test/new.js && echo 1 > b.test.js'],
    [
      'a dependency of a package',
      `echo '{ "scripts": { "test": "sh check.sh" }, "dependencies": { "a": "1" } }' > package.json`,
    ],
  ])('with %s', (_, change) => {
    expect(run(`${greets}; ${change}`).closed).toEqual(['bd-1'])
  })

  test('with a change that a person allowed', () => {
    repository.premath(['issue', 'update', 'bd-1', '--may-change', '*.test.js'])
    expect(run(`${greets}; echo 0 > a.test.js`).closed).toEqual(['bd-1'])
  })

  test('with its specs, where the issue says that they come with it', () => {
    const words = ['--spec', 'new.spec.md', '--writes-specs']
    repository.premath(['issue', 'update', 'bd-1', ...words])
    const { closed, summaries } = run(`${greets}; sed s/GREETS/NEW/ greeting.spec.md > new.spec.md`)
    expect({ closed, summaries }).toMatchObject({ closed: ['bd-1'] })
  })

  test('on files that the configuration does not protect any more', () => {
    repository.premath(['config', 'set', 'protect.append', '[]'])
    expect(run(`${greets}; echo 0 > a.test.js`).closed).toEqual(['bd-1'])
  })
})

test('the work of a step cannot allow itself anything', () => {
  const env = { PREMATH_STEP_ID: 'w.bd-1.1.1' }
  for (const words of [
    ['issue', 'update', 'bd-1', '--may-change', '**'],
    ['issue', 'update', 'bd-1', '--writes-specs'],
    ['issue', 'add', 'Mine', '--may-change', '**'],
  ]) {
    const { status, stderr } = repository.premath(words, { env })
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('a step') })
  }
})
