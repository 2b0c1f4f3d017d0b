import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { prettyJson } from '../src/kernel/canonical.ts'
import { witnessDigest } from '../src/kernel/proof/witness.ts'
import { Repository } from './a-git-project.ts'
import { aProject } from './a-project.ts'
import { isSandboxed } from './bubblewrap.ts'
import { isTorture } from './sim/seeded.ts'

const sandboxes = isSandboxed ? ['off', 'require'] : ['off']

const caseOf = (id: string, file: string, word: string, more = '') => `# ${id}

\`\`\`yaml spec-test
id: ${id}
type: cli.run
harness: {entrypoint: cat ${file}${more}}
argv: []
assert:
- target: stdout
  must:
  - contain: [${word}]
\`\`\`
`

const chain = ', chain: {steps: [{id: first, class: must, ref: "chained.md#CHAINED"}]}'

const library = (word: string) => `# Words

\`\`\`yaml spec-test
id: WORDS
type: spec_lang.library
definitions: {public: {greets: {fn: [[said], {std.string.contains: [{var: said}, ${word}]}]}}}
\`\`\`
`

const usesLibrary = (path: string) => `# Uses a library

\`\`\`yaml spec-test
id: USES-LIBRARY
type: text.file
path: greeting.txt
harness: {spec_lang: {includes: [/${path}]}}
assert: [{target: text, must: [{evaluate: [{call: [{var: greets}, {var: subject}]}]}]}]
\`\`\`
`

const files = {
  'words.md': library('hello'),
  'words.txt': library('hello'),
  'library.spec.md': usesLibrary('words.md'),
  'plain.spec.md': usesLibrary('words.txt'),
  'check.sh': 'test -e greeting.txt\n',
  'greeting.spec.md': caseOf('GREETS', 'greeting.txt', 'hello'),
  'chained.md': caseOf('CHAINED', 'check.sh', 'greeting'),
  'chain.spec.md': caseOf('CHAIN', 'greeting.txt', 'hello', chain),
  'package.json': '{ "scripts": { "test": "sh check.sh" } }\n',
}

const greets = 'echo hello > greeting.txt'

interface Ended {
  readonly status: number | null
  readonly classes: readonly string[]
  readonly summary: string
}

interface Way {
  readonly name: string
  readonly args: readonly string[]
  ended(stdout: string): Pick<Ended, 'classes' | 'summary'>
}

const ways: readonly Way[] = [
  {
    name: 'harness-step',
    args: ['harness-step', '--issue', 'bd-1'],
    ended(stdout) {
      const { failureClasses = [], summary = '' } = JSON.parse(stdout)
      return { classes: failureClasses, summary }
    },
  },
  {
    name: 'harness-loop worker',
    args: ['harness-loop', 'worker', '--max-steps', '1', '--new-budget'],
    ended(stdout) {
      const lines = stdout.split('\n').filter(line => line !== '')
      const ends = lines.map(line => JSON.parse(line)).filter(one => one.event === 'attempt.ended')
      const { failureClasses = [], summary = '' } = ends.at(-1) ?? {}
      return { classes: failureClasses, summary }
    },
  },
]

/** A witness like the newest one, later, and with another version of the runner. */
function forgeNewest(folder: string): void {
  const [name = ''] = readdirSync(folder)
  const witness = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const forged = { ...witness, runner: { name: 'premath', version: 'forged' } }
  const path = join(folder, `${witnessDigest(forged, sha256)}.json`)
  writeFileSync(path, `${prettyJson(forged)}\n`)
  const later = new Date(Date.now() + 3_600_000)
  utimesSync(path, later, later)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe.each(ways)('$name in a repository', ({ name, args, ended }) => {
  /** Both take the same steps, so `npm test` tries only some of them twice. */
  const isFull = isTorture || name === 'harness-step'
  let repository: Repository
  beforeEach(() => {
    repository = new Repository('checkout', files)
    repository.given([{ id: 'bd-1', title: 'Greet' }])
  })
  afterEach(() => repository.remove())

  const at = (path: string) => join(repository.root, path)
  const git = (...words: readonly string[]) => repository.git('-C', repository.root, ...words)
  const checkouts = () => join(repository.folder, 'cache/premath/checkouts')
  const status = () => repository.asked('issue', 'show', 'bd-1').json.issue.status
  const work = (
    command: string,
    { verify = 'sh check.sh', sandbox = 'off', env = {}, cwd = repository.root } = {},
  ): Ended => {
    const commands = ['--work-cmd', command, '--verify-cmd', verify, '--sandbox', sandbox]
    const setup = { env, cwd }
    const { status, stdout } = repository.premath([...args, ...commands, '--json'], setup)
    return { status, ...ended(stdout) }
  }
  const reopen = () => repository.premath(['issue', 'update', 'bd-1', '--status', 'open'])

  describe.each(isFull ? sandboxes : ['off'])('with the sandbox %s', sandbox => {
    test('honest work closes its issue, and leaves neither checkout nor commit behind', () => {
      expect(work(greets, { sandbox })).toMatchObject({ status: 0, classes: [] })
      expect(status()).toBe('closed')
      expect(repository.worktrees).toEqual([repository.root])
      expect(readdirSync(checkouts())).toEqual(['.gitignore'])
      expect(git('log', '--all', '--format=%s')).toBe('The project begins.')
      expect(git('status', '--porcelain')).toBe('?? greeting.txt')
    })

    test('[steps.1.clean-checkout] a file that git ignores is not there', () => {
      appendFileSync(at('.gitignore'), 'greeting.txt\n')
      git('commit', '--quiet', '--all', '--message', 'Ignore it')
      const { classes, summary } = work(greets, { sandbox })
      expect(classes).toEqual(['check_failed'])
      expect(summary).toContain('the clean checkout lacks files that git ignores: greeting.txt')
      expect(status()).not.toBe('closed')
    })

    test('its own specs must stay', () => {
      repository.premath(['issue', 'update', 'bd-1', '--spec', 'greeting.spec.md'])
      const lowers = 'sed -i s/hello/h/ greeting.spec.md; echo h > greeting.txt'
      const { classes, summary } = work(lowers, { sandbox })
      expect(classes).toEqual(['close_specs_changed'])
      expect(summary).toContain('greeting.spec.md')
      expect(status()).not.toBe('closed')
    })

    test('specs that stay close it', () => {
      repository.premath(['issue', 'update', 'bd-1', '--spec', 'greeting.spec.md'])
      expect(work(greets, { sandbox })).toMatchObject({ status: 0, classes: [] })
      expect(status()).toBe('closed')
    })

    test('protected files must stay', () => {
      const { classes, summary } = work(`${greets}; echo true > check.sh`, { sandbox })
      expect(classes).toEqual(['protected_path_changed'])
      expect(summary).toContain('check.sh (must stay as it is)')
    })
  })

  if (!isFull) return

  test('[steps.1.clean-checkout] a file that .git/info/exclude hides is not there', () => {
    mkdirSync(at('.git/info'), { recursive: true })
    const { classes, summary } = work(`${greets}; echo greeting.txt >> .git/info/exclude`)
    expect(classes).toEqual(['check_failed'])
    expect(summary).toContain('greeting.txt')
    expect(status()).not.toBe('closed')
  })

  test('[steps.2.fresh-index] the index of the work hides nothing', () => {
    const hides = 'git update-index --assume-unchanged check.sh; echo true > check.sh'
    expect(work(hides).classes).toEqual(['protected_path_changed'])
    expect(status()).not.toBe('closed')
  })

  test('work that replaces the git folder of its worktree does not choose the repository', () => {
    const tree = repository.worktree('linked')
    const swaps = `rm .git; git init -q .; ${greets}; echo true > check.sh`
    const { classes } = work(swaps, { cwd: tree })
    expect(classes).toEqual(['protected_path_changed'])
    expect(status()).not.toBe('closed')
  })

  test('[steps.3.pinned-documents] a document in the chain of its specs must stay', () => {
    repository.premath(['issue', 'update', 'bd-1', '--spec', 'chain.spec.md'])
    const { classes, summary } = work(`${greets}; echo '# None' > chained.md`)
    expect(classes).toEqual(['close_specs_changed'])
    expect(summary).toContain('chained.md')
  })

  test.each([
    ['library.spec.md', 'words.md'],
    ['plain.spec.md', 'words.txt'],
  ])('[steps.3.pinned-documents] a library that %s uses must stay: %s', (spec, path) => {
    repository.premath(['issue', 'update', 'bd-1', '--spec', spec])
    const { classes, summary } = work(`sed -i s/hello/h/ ${path}; echo h > greeting.txt`)
    expect(classes).toEqual(['close_specs_changed'])
    expect(summary).toContain(path)
    expect(status()).not.toBe('closed')
    git('checkout', '--quiet', path)
    reopen()
    expect(work(greets)).toMatchObject({ status: 0, classes: [] })
  })

  test('what a person allowed may change', () => {
    repository.premath(['issue', 'update', 'bd-1', '--may-change', 'check.sh'])
    expect(work(`${greets}; echo true > check.sh`)).toMatchObject({ status: 0 })
  })

  test('specs may come with the work, where the issue says so', () => {
    repository.premath(['issue', 'update', 'bd-1', '--spec', 'new.spec.md', '--writes-specs'])
    const writes = `${greets}; sed s/GREETS/NEW/ greeting.spec.md > new.spec.md`
    expect(work(writes)).toMatchObject({ status: 0, classes: [] })
  })

  test('a spec that a person has not committed yet judges the work, and is not charged to it', () => {
    writeFileSync(at('draft.spec.md'), caseOf('DRAFT', 'greeting.txt', 'hello'))
    appendFileSync(at('check.sh'), 'true\n')
    repository.premath(['issue', 'update', 'bd-1', '--spec', 'draft.spec.md'])
    expect(work('echo hi > greeting.txt').classes).toEqual(['check_failed'])
    reopen()
    expect(work(greets)).toMatchObject({ status: 0, classes: [] })
  })

  describe('what failed work left', () => {
    const lowers = 'sed -i s/hello/h/ greeting.spec.md; echo h > greeting.txt'
    beforeEach(() => {
      repository.premath(['issue', 'update', 'bd-1', '--spec', 'greeting.spec.md'])
    })

    test('[steps.4.left-work] is charged to the next work, committed by the work or not', () => {
      expect(work(`${lowers}; git commit -qam mine || true`).classes).toEqual([
        'close_specs_changed',
      ])
      reopen()
      expect(work('true').classes).toEqual(['close_specs_changed'])
    })

    test('[steps.4.left-work] is charged also if the step was killed', async () => {
      const began = join(repository.folder, 'began')
      const commands = [
        '--work-cmd',
        `${lowers}; touch ${began}; sleep 600`,
        '--verify-cmd',
        'true',
      ]
      const { child, ended } = repository.start([...args, ...commands])
      while (!existsSync(began)) await new Promise(go => setTimeout(go, 20))
      child.kill('SIGKILL')
      await ended
      expect(work('true').classes).toEqual(['close_specs_changed'])
    })

    test('is the state of a person who commits it', () => {
      expect(work(lowers).classes).toEqual(['close_specs_changed'])
      git('commit', '--quiet', '--all', '--message', 'A person agrees')
      reopen()
      expect(work('true')).toMatchObject({ status: 0, classes: [] })
    })
  })

  test('a work that changes memory does not change what is verified', () => {
    const looks = 'test ! -e .premath/planted && sh check.sh'
    const plants = `${greets}; touch .premath/planted`
    expect(work(plants, { verify: looks })).toMatchObject({ status: 0 })
  })

  test('the start-up command and copied files make the checkout ready', () => {
    appendFileSync(at('.gitignore'), '.env\nmade\n')
    writeFileSync(at('.env'), 'A=1\n')
    repository.premath(['config', 'set', 'startup', 'touch made'])
    repository.premath(['config', 'set', 'copyFiles', '[".env"]'])
    expect(work(greets, { verify: 'test -e made && test -e .env' })).toMatchObject({ status: 0 })
  })

  test('[trust.29.outside] packages that the work left beside its files are not found', () => {
    appendFileSync(at('.gitignore'), 'node_modules/\n')
    const plants = 'mkdir -p node_modules/.bin; echo "exit 0" > node_modules/.bin/check-it'
    const found = `${plants}; chmod +x node_modules/.bin/check-it; ${greets}`
    const verify = 'npm exec --offline --no -- check-it'
    expect(work(found, { verify }).classes).toEqual(['check_failed'])
  })

  test('[trust.29.copies] copied files are those before the work', () => {
    appendFileSync(at('.gitignore'), '.env\nsecret\n')
    writeFileSync(at('.env'), 'A=1\n')
    writeFileSync(at('secret'), '')
    repository.premath(['config', 'set', 'copyFiles', '[".env"]'])
    const verify = 'grep -q A=1 .env'
    expect(work(`echo secret > .worktreeinclude`, { verify }).classes).toEqual([
      'protected_path_changed',
    ])
    rmSync(at('.worktreeinclude'))
    expect(work(`${greets}; echo A=2 > .env`, { verify })).toMatchObject({ status: 0 })
    expect(readdirSync(checkouts())).toEqual(['.gitignore'])
  })

  test('commands run in the folder below the project in which the step was started', () => {
    mkdirSync(at('sub'))
    const here = work(`echo hello > it.txt`, { verify: 'test -e it.txt', cwd: at('sub') })
    expect(here).toMatchObject({ status: 0, classes: [] })
  })

  test('a verification that changes files fails', () => {
    const { classes } = work(greets, { verify: 'echo x >> package.json' })
    expect(classes).toEqual(['verification_changed_files'])
    expect(readFileSync(at('package.json'), 'utf8')).toBe(files['package.json'])
  })

  test('[steps.5.own-witness] a witness that the work wrote proves nothing', () => {
    repository.premath(['issue', 'update', 'bd-1', '--spec', 'greeting.spec.md'])
    expect(work(greets)).toMatchObject({ status: 0 })
    forgeNewest(at('artifacts/ciwitness/spec'))
    repository.premath(['issue', 'add', 'Again', '--id', 'bd-2', '--spec', 'greeting.spec.md'])
    const named = args.map(word => (word === 'bd-1' ? 'bd-2' : word))
    const commands = ['--work-cmd', 'true', '--verify-cmd', 'sh check.sh']
    expect(repository.premath([...named, ...commands]).status).toBe(0)
    const proofs = at('.premath/proofs/bd-2')
    const kept = readdirSync(proofs).map(name => readFileSync(join(proofs, name), 'utf8'))
    expect(kept.join('')).toContain('"spec-')
    expect(kept.join('')).not.toContain('forged')
  })

  test('a repository without a commit', () => {
    git('update-ref', '-d', 'HEAD')
    expect(work(greets)).toMatchObject({ status: 0, classes: [] })
    expect(status()).toBe('closed')
  })
})

describe('without git', () => {
  const project = aProject()
  const at = (path: string) => join(project.folder, path)
  const step = (work: string, verify: string, sandbox = 'off', ...more: readonly string[]) => {
    const commands = ['--work-cmd', work, '--verify-cmd', verify, '--sandbox', sandbox]
    return project.asked(['harness-step', ...commands, ...more])
  }
  const add = (...more: readonly string[]) => project.premath(['issue', 'add', 'Greet', ...more])

  beforeEach(() => {
    for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)
    writeFileSync(at('run.sh'), '#!/bin/sh\ntrue\n')
    chmodSync(at('run.sh'), 0o755)
    symlinkSync('nowhere', at('link'))
  })

  test.each(sandboxes)('a copy of the files is verified, with the sandbox %s', sandbox => {
    add('--spec', 'greeting.spec.md')
    const isCopy = 'case $PWD in */.premath/checkouts/check.worker.step) ;; *) exit 1; esac'
    const looks = `./run.sh && test -L link && ${isCopy}`
    const { status, json } = step(greets, looks, sandbox)
    expect({ status, result: json.result }).toEqual({ status: 0, result: 'completed' })
    expect(existsSync(at('.premath/checkouts/check.worker.step'))).toBe(false)
  })

  test('[trust.29.copy] specs run in the copy too', () => {
    const writing = files['greeting.spec.md'].replace('cat greeting.txt', 'sh writing.sh')
    writeFileSync(at('writing.sh'), 'echo x > made; cat greeting.txt\n')
    writeFileSync(at('writing.spec.md'), writing)
    add('--spec', 'writing.spec.md')
    const { json } = step(greets, 'true')
    expect(json.failureClasses).toEqual(['verification_changed_files'])
    expect(existsSync(at('made'))).toBe(false)
  })

  test('a verification that writes files leaves those of the project alone', () => {
    add()
    const { json } = step(greets, 'echo x > check.sh')
    expect(json.failureClasses).toEqual(['verification_changed_files'])
    expect(readFileSync(at('check.sh'), 'utf8')).toBe(files['check.sh'])
  })

  test.each([
    ['close_specs_changed', 'sed -i s/hello/h/ greeting.spec.md; echo h > greeting.txt'],
    ['close_specs_changed', `${greets}; echo '# None' > chained.md`],
    ['protected_path_changed', `${greets}; echo true > check.sh`],
    [
      'protected_path_changed',
      `${greets}; echo '{ "scripts": { "test": "true" } }' > package.json`,
    ],
  ])('%s: %s', (failureClass, work) => {
    add('--spec', 'greeting.spec.md', '--spec', 'chain.spec.md')
    expect(step(work, 'sh check.sh').json.failureClasses).toEqual([failureClass])
  })

  test('a member that is not protected may change', () => {
    add()
    const adds = `echo '{ "scripts": { "test": "sh check.sh" }, "a": 1 }' > package.json`
    expect(step(`${greets}; ${adds}`, 'sh check.sh').status).toBe(0)
  })
})
