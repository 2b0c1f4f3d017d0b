/** Who may sign a proof, and whether the libraries of in-toto read what was signed. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import type { Output } from '../src/world/world.ts'
import { aProject } from './a-project.ts'
import { describeWithGit, gitIn, gitVariables } from './a-repository.ts'
import { writeScriptPolicy } from './at-a-terminal.ts'
import { checkedOperations } from './checked-answers.ts'

const project = aProject()
const { premath } = project

const at = (path: string) => join(project.folder, path)
let home = ''
const env = () => ({ ...gitVariables, HOME: home, XDG_CONFIG_HOME: '' })
const personKey = () => join(home, '.config/premath/ed25519.pem')
const export_ = ['witness', 'export', 'bd-1', '--attest', '--output', 'a.jsonl']

const asked = (...args: readonly string[]) => {
  const { status, stdout, stderr } = premath(args, { env: env(), isUnattended: true })
  return { status, stdout, stderr }
}
const done = (...args: readonly string[]) => {
  const ended = asked(...args)
  expect(ended).toMatchObject({ status: 0 })
  return ended
}

/** Runs the command at a terminal at which a person types the line. */
async function atTerminal(line: string, ...args: readonly string[]) {
  const err: string[] = []
  const output = (texts: string[]): Output => ({
    write: text => texts.push(String(text)) > 0,
    isTerminal: () => true,
    columns: () => 80,
    rows: () => 24,
  })
  const world = {
    ...nodeWorld(),
    cwd: () => project.folder,
    env: { PATH: process.env['PATH'], HOME: home, TERM: 'xterm' },
    isAtTerminal: () => true,
    input: typed(line),
    out: output([]),
    err: output(err),
  }
  const status = await runCommand(args, checkedOperations, world)
  return { status, stderr: err.join('') }
}

async function* typed(line: string) {
  yield new TextEncoder().encode(line)
}

describeWithGit('an attestation', () => {
  /** The first test lands its issue; later tests copy it. */
  const begun = join(project.folders, 'begun')
  beforeEach(() => {
    home = mkdtempSync(join(project.folders, 'home-'))
    if (!existsSync(begun)) begin()
    else cpSync(begun, project.folder, { recursive: true })
  })

  function begin() {
    gitIn(project.folder, 'init', '--quiet', '--template=', '--initial-branch=main')
    done('init')
    done('issue', 'add', 'One')
    writeScriptPolicy(project.folder)
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'Begin')
    done(
      'run',
      '--workers',
      '1',
      '--work-cmd',
      'echo ok > a.txt',
      '--verify-cmd',
      'test -d .premath',
    )
    cpSync(project.folder, begun, { recursive: true })
  }

  describe('is signed', () => {
    test('[proofs.5.signing] by the key of a person if the person says so', async () => {
      done('witness', 'keygen')
      const declined = await atTerminal('\n', ...export_)
      expect(declined.status).toBe(1)
      expect(declined.stderr).toContain(`Sign the proof of bd-1, commit `)
      expect(declined.stderr).toContain('Nothing was signed.')
      expect(existsSync(at('a.jsonl'))).toBe(false)
      expect((await atTerminal('y\n', ...export_)).status).toBe(0)
      expect(existsSync(at('a.jsonl'))).toBe(true)
      const publicKey = personKey().replace('.pem', '.pub.pem')
      const verify = ['witness', 'verify', '--attestation', 'a.jsonl', '--public-key', publicKey]
      const { items } = JSON.parse(done(...verify, '--json').stdout)
      const confirmedBy = { actor: 'terminal', uid: process.getuid?.() }
      expect(items).toMatchObject([{ confirmedBy }, { confirmedBy }])
      expect(done(...verify).stdout).toMatch(/\n {2}confirmed: terminal, user id \d+\n/)
    })

    test('[proofs.5.signing] without a terminal by a key that is named, and not by the key of a person', () => {
      done('witness', 'keygen')
      const refused = asked(...export_)
      expect(refused.status).toBe(2)
      expect(refused.stderr).toContain(
        'without a terminal nobody can be asked, so nothing was signed',
      )
      expect(refused.stderr).toContain('In CI, name a key of CI: --key <file>.')
      expect(asked(...export_, '--key', personKey()).status).toBe(2)
      symlinkSync(personKey(), at('link.pem'))
      expect(asked(...export_, '--key', 'link.pem').status).toBe(2)
      expect(existsSync(at('a.jsonl'))).toBe(false)
      done('witness', 'keygen', '--key', join(home, 'ci.pem'))
      done(...export_, '--key', join(home, 'ci.pem'))
      const [line = ''] = readFileSync(at('a.jsonl'), 'utf8').split('\n')
      const payload = Buffer.from(JSON.parse(line).payload, 'base64').toString()
      expect(JSON.parse(payload).subject[0].annotations.confirmedBy.actor).toBe('script')
    })

    test('[proofs.5.signing] by no script if the policy on the target does not let scripts override', () => {
      done('witness', 'keygen', '--key', join(home, 'ci.pem'))
      gitIn(project.folder, 'rm', '--quiet', '--cached', '.premath/policy.json')
      gitIn(project.folder, 'commit', '--quiet', '--message', 'Only people override')
      const { status, stderr } = asked(...export_, '--key', join(home, 'ci.pem'))
      expect([status, stderr]).toEqual([1, expect.stringContaining('override_needs_terminal')])
      expect(existsSync(at('a.jsonl'))).toBe(false)
    })

    test.each(['PREMATH_STEP_ID', 'PREMATH_INSTRUCTION_ID'])(
      '[proofs.5.signing] by no agent with %s',
      name => {
        done('witness', 'keygen', '--key', join(home, 'ci.pem'))
        const setup = { env: { ...env(), [name]: 'x' } }
        const { status, stderr } = premath([...export_, '--key', join(home, 'ci.pem')], setup)
        expect([status, stderr]).toEqual([1, expect.stringContaining('not sign a proof')])
        expect(existsSync(at('a.jsonl'))).toBe(false)
      },
    )
  })

  describe('of a landed issue', () => {
    const key = () => join(home, 'ci.pem')
    const publicKey = () => join(home, 'ci.pub.pem')
    const statements = () =>
      readFileSync(at('a.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(Buffer.from(JSON.parse(line).payload, 'base64').toString()))

    beforeEach(() => {
      done('witness', 'keygen', '--key', key())
      done(...export_, '--key', key())
    })

    test('[proofs.4.attestation] names its commit, and digests of bytes that exist', () => {
      const commit = gitIn(project.folder, 'log', '-1', '--format=%H', '--grep=Premath-Issue: bd-1')
      const [, summary] = statements()
      for (const { subject } of statements())
        expect(subject[0].digest).toEqual({ gitCommit: commit })
      const folder = at('.premath/proofs/bd-1')
      const [bundle = ''] = readdirSync(folder)
      const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
      const { inputAttestations, policy } = summary.predicate
      const [{ predicate }] = statements()
      expect(predicate.configuration[0].digest.sha256).toBe(sha256(Buffer.from('test -d .premath')))
      expect(inputAttestations[0].digest.sha256).toBe(sha256(readFileSync(join(folder, bundle))))
      expect(policy.digest.sha256).toBe(sha256(Buffer.from(policy.uri.split(',')[1], 'base64')))
      done('witness', 'verify', 'bd-1', '--attestation', 'a.jsonl', '--public-key', publicKey())
    })

    const python = process.env['PREMATH_TEST_PYTHON'] ?? 'python3'
    const libraries = 'import in_toto_attestation, securesystemslib, cryptography'
    const present = spawnSync(python, ['-c', libraries]).status === 0
    if (!present)
      console.log('skipped: no python3 here with in-toto-attestation and securesystemslib')

    test.skipIf(!present)('is verified by the libraries of in-toto', () => {
      const script = resolve('tools/attestation/verify_attestation.py')
      const verified = (file: string, by: string) =>
        spawnSync(python, [script, file, by], { cwd: project.folder, encoding: 'utf8' })
      const { status, stdout, stderr } = verified('a.jsonl', publicKey())
      expect([status, stderr]).toEqual([0, ''])
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(lines.map(({ predicateType }) => predicateType)).toEqual(
        statements().map(({ predicateType }) => predicateType),
      )
      expect(lines[0].subject[0]).toEqual(statements()[0].subject[0].digest)
      done('witness', 'keygen', '--key', join(home, 'other.pem'))
      expect(verified('a.jsonl', join(home, 'other.pub.pem')).status).toBe(1)
      const [first = '', second = ''] = readFileSync(at('a.jsonl'), 'utf8').split('\n')
      const forged = { ...JSON.parse(first), payload: JSON.parse(second).payload }
      writeFileSync(at('forged.jsonl'), JSON.stringify(forged))
      expect(verified('forged.jsonl', publicKey()).status).toBe(1)
      const { payload, ...rest } = JSON.parse(first)
      const text = Buffer.from(payload, 'base64').toString().replace('PASSED', 'PASSEd')
      const changed = { ...rest, payload: Buffer.from(text).toString('base64') }
      writeFileSync(at('changed.jsonl'), JSON.stringify(changed))
      expect(verified('changed.jsonl', publicKey()).status).toBe(1)
    })
  })
})
