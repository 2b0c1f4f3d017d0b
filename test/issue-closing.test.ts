/** Closing needs proof, by the built command on real trees. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { gitIn } from './a-repository.ts'
import { block } from './a-spec-run.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done, premath } = project

const put = (name: string, text: string) => {
  mkdirSync(join(project.folder, name, '..'), { recursive: true })
  writeFileSync(join(project.folder, name), text)
}

const spec = block(
  'id: SAID',
  'type: cli.run',
  'harness: {entrypoint: [cat, said.txt]}',
  'assert: [{target: stdout, must: [{contain: [yes]}]}]',
)

const show = (id = 'bd-1') => done('issue', 'show', id).issue
const close = (...more: readonly string[]) =>
  asked(['issue', 'update', 'bd-1', '--status', 'closed', ...more])
const refusal = (...more: readonly string[]) => {
  const { status, json } = close(...more)
  return { status, failureClasses: json.failureClasses, remedy: json.remedy }
}

beforeEach(() => {
  done('init')
  gitIn(project.folder, 'init', '--quiet')
  put('said.txt', 'no\n')
})

describe('an issue that names specs', () => {
  beforeEach(() => {
    put('specs/said.spec.md', spec)
    done('issue', 'add', 'Say yes', '--spec', 'specs')
  })

  test('closes when they have passed on the files as they are, and not before', () => {
    expect(refusal()).toEqual({
      status: 1,
      failureClasses: ['close_proof_missing'],
      remedy: 'premath issue update bd-1 --status closed --verify runs them first.',
    })
    premath(['spec', 'run', 'specs'])
    expect(refusal().failureClasses).toEqual(['close_proof_failed'])
    put('said.txt', 'yes\n')
    expect(refusal().failureClasses).toEqual(['close_proof_stale'])
    const { json } = asked(['spec', 'run', 'specs'])
    expect(close()).toMatchObject({ status: 0, json: { issue: { status: 'closed' } } })
    expect(show().metadata.premathClose).toEqual({
      by: 'specs',
      chain: expect.stringMatching(/^sha256:/),
      treeDigest: expect.stringMatching(/^tree1_/),
      witnesses: [json.witness],
    })
  })

  test('names the failing specs if they run first', () => {
    const { status, stderr } = premath([
      'issue',
      'update',
      'bd-1',
      '--status',
      'closed',
      '--verify',
    ])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^FAIL SAID .*\n {2}\d+ \|/m)])
    put('said.txt', 'yes\n')
    expect(close('--verify').status).toBe(0)
  })

  test('does not suggest to run specs that have already failed', () => {
    put('specs/said.spec.md', '# To be written\n')
    expect(refusal('--verify')).toEqual({
      status: 1,
      failureClasses: ['close_proof_missing'],
      remedy: 'The specs have just run and left no witness. Their output above says why.',
    })
  })

  test('does not close by an edited witness', () => {
    premath(['spec', 'run', 'specs'])
    const folder = join(project.folder, 'artifacts/ciwitness/spec')
    const [name = ''] = readdirSync(folder)
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replaceAll('"fail"', '"pass"'))
    expect(refusal().failureClasses).toEqual(['close_proof_missing'])
  })

  test('does not close by a spec that changed outside the tree', () => {
    put('artifacts/said.spec.md', spec.replace('yes', 'no'))
    done('issue', 'update', 'bd-1', '--spec', 'artifacts/said.spec.md')
    expect(premath(['spec', 'run', 'artifacts/said.spec.md']).status).toBe(0)
    put('artifacts/said.spec.md', spec)
    expect(refusal().failureClasses).toEqual(['close_proof_stale'])
  })

  test('does not close by specs that were replaced while they ran', () => {
    const naming = [process.execPath, main, 'issue', 'update', 'bd-1', '--spec', 'other.spec.md']
    const entrypoint = `harness: {entrypoint: ${JSON.stringify(naming)}}`
    put('other.spec.md', spec)
    put('specs/said.spec.md', block('id: NAMED', 'type: cli.run', entrypoint))
    expect(refusal('--verify')).toMatchObject({
      status: 1,
      failureClasses: ['close_proof_missing'],
    })
    expect(show()).toMatchObject({
      status: 'open',
      metadata: { premathSpecs: ['other.spec.md'] },
    })
  })

  test('refuses a spec outside the project', () => {
    put('../said.spec.md', spec)
    put('said.txt', 'yes')
    done('issue', 'update', 'bd-1', '--spec', '../said.spec.md', '--spec', 'specs')
    for (const flags of [[], ['--verify']]) {
      expect(refusal(...flags)).toEqual({
        status: 1,
        failureClasses: ['close_proof_missing'],
        remedy:
          'Copy it into the project, and name it there: premath issue update bd-1 --spec <file>.',
      })
    }
  })

  test('does not close if its specs are gone', () => {
    done('issue', 'update', 'bd-1', '--spec', 'specs/gone.spec.md')
    expect(refusal()).toMatchObject({ status: 1, failureClasses: ['close_proof_missing'] })
    expect(show().status).toBe('open')
  })
})

describe('an issue without specs', () => {
  beforeEach(() => done('issue', 'add', 'Say yes'))

  test('closes by the result of its command on this tree', () => {
    expect(refusal()).toMatchObject({ status: 1, failureClasses: ['close_proof_missing'] })
    expect(refusal('--verify-cmd', 'grep yes said.txt').failureClasses).toEqual([
      'close_proof_failed',
    ])
    put('said.txt', 'yes\n')
    expect(refusal().failureClasses).toEqual(['close_proof_stale'])
    expect(close('--verify-cmd', 'grep yes said.txt').status).toBe(0)
    expect(show().metadata.premathClose).toMatchObject({ by: 'verification' })
  })

  test('shows what its command printed line by line', () => {
    put('fails.sh', 'printf "one\\n\\ttwo \\"x\\"\\n\\033[31mthree\\033[0m\\r\\n"; exit 1\n')
    const { stderr } = close('--verify-cmd', 'sh fails.sh')
    expect(stderr).toContain('one\n  two "x"\nthree\nerror: ')
  })

  test('does not close by an earlier success of its command', () => {
    const closed = close('--verify-cmd', 'true')
    expect(closed.status).toBe(0)
    expect(closed.stderr).toContain('note: the verification "true" cannot fail')
    done('issue', 'update', 'bd-1', '--status', 'open')
    expect(refusal('--verify-cmd', 'false').failureClasses).toEqual(['close_proof_failed'])
    expect(show().status).toBe('open')
  })

  test('does not close by a command if it names specs by then', () => {
    put('specs/said.spec.md', spec)
    const naming = `"${process.execPath}" "${main}" issue update bd-1 --spec specs`
    expect(refusal('--verify-cmd', naming).failureClasses).toEqual(['close_proof_missing'])
    expect(show().status).toBe('open')
  })

  test('closes by force only with a reason, which its row keeps', () => {
    expect(refusal('--force')).toMatchObject({
      status: 1,
      failureClasses: ['close_reason_missing'],
    })
    expect(close('--force', '--reason', 'Not needed').status).toBe(0)
    expect(show().metadata.premathClose).toEqual({
      actor: 'terminal',
      uid: process.getuid?.(),
      by: 'force',
      chain: expect.stringMatching(/^sha256:/),
      reason: 'Not needed',
    })
    expect(existsSync(join(project.folder, 'artifacts'))).toBe(false)
  })

  test.each([
    [['--verify'], 'names no specs to run'],
    [['--verify-cmd', ' '], 'names no command'],
    [['--force', '--verify-cmd', 'true', '--reason', 'x'], 'give one of them'],
  ])('refuses %j before anything runs', (flags, message) => {
    const { status, stderr } = premath(['issue', 'update', 'bd-1', '--status', 'closed', ...flags])
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

test('an issue cannot be added as closed', () => {
  done('issue', 'add', 'One')
  for (const status of ['closed', ' Closed ']) {
    const { status: code, json } = asked(['issue', 'add', 'Two', '--status', status])
    expect([code, json.failureClasses]).toEqual([1, ['close_proof_missing']])
  }
})

test.each([['--verify'], ['--force'], ['--verify-cmd', 'true']])(
  'a change that closes nothing refuses %s',
  (...flags) => {
    done('issue', 'add', 'One')
    const { status, stderr } = premath(['issue', 'update', 'bd-1', '--title', 'x', ...flags])
    expect([status, stderr]).toEqual([2, expect.stringContaining('is only for closing an issue')])
    expect(show().title).toBe('One')
  },
)

test('runs no verification for a close that somebody else holds', () => {
  done('issue', 'add', 'One')
  done('issue', 'claim', 'bd-1', '--assignee', 'ann')
  const { status, failureClasses } = refusal('--verify-cmd', 'touch ran.txt')
  expect([status, failureClasses]).toEqual([4, ['lease_proof_missing']])
  expect(existsSync(join(project.folder, 'ran.txt'))).toBe(false)
})

test('an agent that needs an instruction cannot use --force', () => {
  done('issue', 'add', 'One')
  const surfaces = { cli: { mode: 'instruction-linked' } }
  put('.premath/policy.json', JSON.stringify({ schema: 1, surfaces }))
  expect(refusal('--force', '--reason', 'x')).toMatchObject({
    status: 1,
    failureClasses: ['mutation_not_granted'],
  })
})
