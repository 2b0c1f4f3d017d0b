/** Witnesses and closes that the harness signs as it makes them, and the keys that count. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { nodeSigning } from '../src/world/node-signing.ts'
import { nodeWorld } from '../src/world/node-world.ts'
import type { Output } from '../src/world/world.ts'
import { aProject } from './a-project.ts'
import { describeWithGit, gitIn, gitVariables } from './a-repository.ts'
import { writeScriptPolicy } from './at-a-terminal.ts'
import { isSandboxed } from './bubblewrap.ts'
import { checkedOperations } from './checked-answers.ts'

const project = aProject()
const { premath } = project

let home = ''
const at = (path: string) => join(project.folder, path)
const keyAt = (name: string) => join(home, `keys/${name}.pem`)
const publicAt = (name: string) => join(home, `keys/${name}.pub.pem`)
const env = (key?: string) => ({
  ...gitVariables,
  HOME: home,
  XDG_CONFIG_HOME: '',
  ...(key !== undefined && { PREMATH_SIGNING_KEY: keyAt(key) }),
})

function asked(key: string | undefined, ...args: readonly string[]) {
  const { status, stdout, stderr } = premath(args, { env: env(key) })
  return { status, stdout, stderr }
}

function done(key: string | undefined, ...args: readonly string[]) {
  const ended = asked(key, ...args)
  expect(ended).toMatchObject({ status: 0 })
  return ended.stdout
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
  async function* typed() {
    yield new TextEncoder().encode(line)
  }
  const world = {
    ...nodeWorld(),
    cwd: () => project.folder,
    env: { PATH: process.env['PATH'], HOME: home, TERM: 'xterm' },
    isAtTerminal: () => true,
    input: typed(),
    out: output([]),
    err: output(err),
  }
  const status = await runCommand(args, checkedOperations, world)
  return { status, stderr: err.join('') }
}

const trust = async (name: string, role: string) =>
  expect((await atTerminal('y\n', 'trust', 'add', publicAt(name), '--role', role)).status).toBe(0)

function verified(...more: readonly string[]) {
  const { status, stdout } = asked(undefined, 'witness', 'verify', 'bd-1', ...more, '--json')
  const { items, failureClasses } = JSON.parse(stdout)
  const signatures = items[0].signatures?.map(
    ({ link, signedBy }: { link: string; signedBy: { role: string } | null }) =>
      `${link} ${signedBy?.role ?? 'unsigned'}`,
  )
  return { status, signatures, classes: failureClasses }
}

const proofFolder = () => at('.premath/proofs/bd-1')
const signedFile = () => {
  const name = readdirSync(proofFolder()).find(one => one.startsWith('signed-')) ?? ''
  return join(proofFolder(), name)
}
const statementsIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(Buffer.from(JSON.parse(line).payload, 'base64').toString()))

function run(key: string | undefined, work = 'echo ok > a.txt', sandbox = 'off') {
  const commands = ['--work-cmd', work, '--verify-cmd', 'test -d .premath']
  return done(key, 'run', '--workers', '1', '--sandbox', sandbox, ...commands)
}

describeWithGit('a signed proof', () => {
  /** The first test makes them; later tests copy them. */
  const [begun, keys] = ['begun', 'keys'].map(name => join(project.folders, name)) as [
    string,
    string,
  ]
  beforeEach(() => {
    home = mkdtempSync(join(project.folders, 'home-'))
    if (!existsSync(begun)) begin()
    else {
      cpSync(keys, join(home, 'keys'), { recursive: true })
      cpSync(begun, project.folder, { recursive: true })
    }
  })

  function begin() {
    mkdirSync(join(home, 'keys'))
    for (const name of ['harness', 'other', 'ci']) {
      done(undefined, 'witness', 'keygen', '--key', keyAt(name))
    }
    gitIn(project.folder, 'init', '--quiet', '--template=', '--initial-branch=main')
    done(undefined, 'init')
    done(undefined, 'issue', 'add', 'One')
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'Begin')
    cpSync(join(home, 'keys'), keys, { recursive: true })
    cpSync(project.folder, begun, { recursive: true })
  }

  /** The work of the issue, landed with the key of the harness. The first test that needs it lands it. */
  function landed() {
    const folder = join(project.folders, 'landed')
    if (existsSync(folder)) cpSync(folder, project.folder, { recursive: true })
    else {
      run('harness')
      cpSync(project.folder, folder, { recursive: true })
    }
  }

  const signed = ['join harness', 'verify harness', 'chain harness']
  const unsigned = ['join unsigned', 'verify unsigned', 'chain unsigned']

  test('[proofs.7.signed-at-birth] has a signature of each witness and of the close', async () => {
    landed()
    expect(verified()).toEqual({ status: 0, signatures: undefined, classes: [] })
    await trust('harness', 'harness')
    expect(verified('--require-signed')).toEqual({ status: 0, signatures: signed, classes: [] })
    const commit = gitIn(project.folder, 'log', '-1', '--format=%H', '--grep=Premath-Issue: bd-1')
    const statements = statementsIn(readFileSync(signedFile(), 'utf8'))
    expect(statements.map(({ predicate }) => predicate.link)).toEqual(['join', 'verify', 'chain'])
    for (const { subject, predicate } of statements) {
      const tree = gitIn(project.folder, 'rev-parse', `${commit}^{tree}`).trim()
      expect(subject.slice(1, 3)).toMatchObject([
        { digest: { gitCommit: commit } },
        { digest: { gitTree: tree } },
      ])
      expect(subject[3].digest.premathTree1).toMatch(/^[0-9a-f]{64}$/)
      expect(predicate).toMatchObject({ issueId: 'bd-1', sandbox: 'off' })
    }
    const { stdout } = asked(undefined, 'witness', 'verify', 'bd-1')
    expect(stdout).toMatch(/ {2}verify: signed by harness [0-9a-f]{12}\n/)
    done(undefined, 'witness', 'verify', '--all', '--require-signed')
    done(undefined, 'doctor')
  })

  test('[proofs.7.signed-at-birth] is none without the key, or with a key that is not trusted', async () => {
    run('other')
    await trust('harness', 'harness')
    expect(verified()).toEqual({ status: 0, signatures: unsigned, classes: [] })
    expect(verified('--require-signed')).toMatchObject({ status: 1, classes: ['proof_unsigned'] })
    rmSync(signedFile())
    expect(verified('--require-signed')).toMatchObject({ status: 1, signatures: unsigned })
  })

  test('[proofs.7.signed-at-birth] is not made by signatures of another proof', async () => {
    landed()
    await trust('harness', 'harness')
    const file = signedFile()
    const [first = '', second = '', third = ''] = readFileSync(file, 'utf8').trimEnd().split('\n')
    const moved = { ...JSON.parse(third), payload: JSON.parse(second).payload }
    writeFileSync(file, `${first}\n${JSON.stringify(moved)}\nnothing\n`)
    expect(verified()).toMatchObject({
      signatures: ['join harness', 'verify unsigned', 'chain unsigned'],
    })
  })

  test('[proofs.7.signed-at-birth] counts keys of a file, or of the checkout of the caller', async () => {
    landed()
    await trust('harness', 'harness')
    const elsewhere = join(home, 'trust.json')
    writeFileSync(elsewhere, readFileSync(at('.premath/trust.json')))
    done(undefined, 'trust', 'remove', statementKey(signedFile()))
    expect(done(undefined, 'trust', 'list')).toBe('No key is trusted\n')
    expect(verified('--require-signed')).toMatchObject({ status: 1, signatures: unsigned })
    expect(verified('--require-signed', '--trust', elsewhere)).toMatchObject({ status: 0 })
  })

  const statementKey = (path: string) =>
    JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '').signatures[0].keyid

  test('[proofs.7.signed-at-birth] is not made by the work, which does not know the key', async () => {
    await trust('other', 'harness')
    const list = readFileSync(at('.premath/trust.json'), 'utf8')
    const [work, witnesses] = ['printenv > env.txt', 'premath spec run nothing 2>/dev/null']
    const own = `cp '${publicAt('harness')}' .premath/trust.json`
    run('harness', `${work}; ${witnesses}; mkdir -p .premath; ${own}`)
    expect(readFileSync(at('env.txt'), 'utf8')).not.toContain('PREMATH_SIGNING_KEY')
    expect(readFileSync(at('.premath/trust.json'), 'utf8')).toBe(list)
    expect(verified()).toMatchObject({ signatures: unsigned })
  })

  const passing = `# A spec

\`\`\`yaml spec-test
id: PASSES
type: cli.run
harness: {entrypoint: cat a.txt}
assert:
- target: stdout
  must:
  - contain: [ok]
\`\`\`
`
  const bySpec = ['join harness', 'spec harness', 'chain harness']

  /** An issue with a spec instead of the one without. */
  function specify() {
    mkdirSync(at('specs'))
    writeFileSync(at('specs/a.spec.md'), passing)
    done(undefined, 'issue', 'update', 'bd-1', '--spec', 'specs/a.spec.md')
    gitIn(project.folder, 'add', '--all', '--force', 'specs', '.premath/issues.jsonl')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'Specify')
  }

  test.each(isSandboxed ? ['off', 'require'] : ['off'])(
    '[proofs.7.signed-at-birth] has a signature of its specs too, with the sandbox %s',
    async sandbox => {
      specify()
      run('harness', 'echo ok > a.txt', sandbox)
      await trust('harness', 'harness')
      expect(verified('--require-signed')).toEqual({ status: 0, signatures: bySpec, classes: [] })
      const commit = gitIn(project.folder, 'log', '-1', '--format=%H', '--grep=Premath-Issue: bd-1')
      for (const { subject, predicate } of statementsIn(readFileSync(signedFile(), 'utf8'))) {
        expect(subject[1]).toEqual({ name: commit, digest: { gitCommit: commit } })
        expect(predicate.sandbox).toBe(sandbox === 'off' ? 'off' : 'bubblewrap')
      }
    },
  )

  test('[proofs.7.signed-at-birth] has a signature of specs that a close runs', async () => {
    specify()
    writeFileSync(at('a.txt'), 'ok\n')
    done('harness', 'issue', 'update', 'bd-1', '--status', 'closed', '--verify')
    await trust('harness', 'harness')
    expect(verified('--require-signed')).toEqual({
      status: 0,
      signatures: bySpec.slice(1),
      classes: [],
    })
  })

  test('[proofs.7.signed-at-birth] takes its signatures along in an exported bundle', async () => {
    landed()
    await trust('harness', 'harness')
    const bundle = join(home, 'bd-1.proof.json')
    done(undefined, 'witness', 'export', 'bd-1', '--output', bundle)
    const elsewhere = (...more: readonly string[]) => {
      const verify = ['witness', 'verify', bundle, ...more]
      const { status, stdout } = premath(verify, { cwd: home, env: env() })
      return [status, stdout]
    }
    const given = ['--trust', at('.premath/trust.json'), '--require-signed']
    expect(elsewhere(...given)).toEqual([0, expect.stringMatching(/close: signed by harness /)])
    expect(elsewhere()).toEqual([0, expect.not.stringContaining('signed')])
    const text = readFileSync(bundle, 'utf8')
    const { files } = JSON.parse(text)
    const name = Object.keys(files).find(one => one.startsWith('signed-')) ?? ''
    expect(files[name]).toBe(readFileSync(signedFile(), 'utf8'))
    writeFileSync(bundle, text.replace(JSON.stringify(files[name]), '"nothing\\n"'))
    expect(elsewhere(...given)).toEqual([1, expect.stringContaining('close: unsigned')])
  })

  describe.runIf(isSandboxed)('from the sandbox', () => {
    test('[proofs.7.signed-at-birth] has a key that the work cannot read, and says so', async () => {
      const look = `cat '${keyAt('harness')}' > key.txt 2>&1; ls '${join(home, 'keys')}' > list.txt`
      run('harness', `${look}; true`, 'require')
      expect(readFileSync(at('list.txt'), 'utf8')).toBe('')
      expect(readFileSync(at('key.txt'), 'utf8')).not.toContain('PRIVATE')
      await trust('harness', 'harness')
      expect(verified('--require-signed', '--require-sandbox')).toEqual({
        status: 0,
        signatures: signed,
        classes: [],
      })
      for (const { predicate } of statementsIn(readFileSync(signedFile(), 'utf8'))) {
        expect(predicate.sandbox).toBe('bubblewrap')
      }
    })
  })

  test('[proofs.7.signed-at-birth] is rejected without a sandbox, if one is required', () => {
    landed()
    expect(verified('--require-sandbox')).toMatchObject({
      status: 1,
      classes: ['proof_unsandboxed'],
    })
  })

  test('[proofs.7.signed-at-birth] needs a key that only its owner can read', () => {
    writeFileSync(join(home, 'keys/open.pem'), readFileSync(keyAt('other')), { mode: 0o644 })
    const commands = ['--work-cmd', 'echo ok > a.txt', '--verify-cmd', 'true']
    const { status, stderr } = asked('open', 'run', '--workers', '1', ...commands)
    expect([status, stderr]).toEqual([2, expect.stringContaining('can be read or written by')])
  })

  test('[proofs.7.signed-at-birth] is made with the key in the settings of the user', async () => {
    done(undefined, 'witness', 'keygen', '--key', join(home, '.config/premath/harness.pem'))
    run(undefined)
    const file = join(home, '.config/premath/harness.pub.pem')
    const added = await atTerminal('y\n', 'trust', 'add', file, '--role', 'harness')
    expect(added.status).toBe(0)
    expect(verified('--require-signed')).toMatchObject({ status: 0, signatures: signed })
  })

  test('[proofs.7.signed-at-birth] is what export signs without a person, where keys are trusted', async () => {
    run(undefined)
    const export_ = ['witness', 'export', 'bd-1', '--attest', '--output', 'a.jsonl']
    await trust('harness', 'harness')
    writeScriptPolicy(project.folder)
    gitIn(project.folder, 'add', '--force', '.premath/policy.json')
    gitIn(project.folder, 'commit', '--quiet', '--message', 'Let scripts override.')
    const alone = { env: env(), isUnattended: true } as const
    const refused = premath([...export_, '--key', keyAt('ci')], alone)
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('proof_unsigned')])
    expect(existsSync(at('a.jsonl'))).toBe(false)
    expect((await atTerminal('y\n', ...export_, '--key', keyAt('ci'))).status).toBe(0)
  })

  describe('of a rerun', () => {
    const rerun = ['witness', 'verify', 'bd-1', '--rerun', '--sandbox', 'off']
    const command = ['--verify-cmd', 'test -s a.txt']

    test('[proofs.8.signed-rerun] is made with a key of CI', async () => {
      landed()
      expect(JSON.parse(done('ci', ...rerun, ...command, '--json')).reruns[0].envelope).toBe(
        undefined,
      )
      await trust('ci', 'ci')
      await trust('harness', 'harness')
      const [{ envelope, commit }] = JSON.parse(done('ci', ...rerun, ...command, '--json')).reruns
      const payload = nodeSigning.openSigned(envelope, readFileSync(publicAt('ci'), 'utf8'))
      expect(JSON.parse(payload ?? '{}')).toMatchObject({
        subject: [{ digest: { gitCommit: commit } }, {}],
        predicate: { issueId: 'bd-1', result: 'reproduced', sandbox: 'off', commands: [{}] },
      })
      expect(done('ci', ...rerun, ...command)).toMatch(/\n {2}signed by ci [0-9a-f]{12}\n/)
      const others = JSON.parse(done('harness', ...rerun, ...command, '--json')).reruns
      expect(others[0].envelope).toBe(undefined)
      const failed = asked('ci', ...rerun, '--verify-cmd', 'false', '--json')
      const [{ envelope: no }] = JSON.parse(failed.stdout).reruns
      const said = nodeSigning.openSigned(no, readFileSync(publicAt('ci'), 'utf8')) ?? '{}'
      expect(JSON.parse(said).predicate.result).toBe('failed')
    })
  })

  const python = process.env['PREMATH_TEST_PYTHON'] ?? 'python3'
  const libraries = 'import in_toto_attestation, securesystemslib, cryptography'
  const present = spawnSync(python, ['-c', libraries]).status === 0
  if (!present)
    console.log('skipped: no python3 here with in-toto-attestation and securesystemslib')

  test.skipIf(!present)('is verified by the libraries of in-toto, to the byte', () => {
    landed()
    const script = resolve('tools/attestation/verify_attestation.py')
    const by = (name: string) =>
      spawnSync(python, [script, signedFile(), publicAt(name)], { encoding: 'utf8' })
    const { status, stdout, stderr } = by('harness')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(by('other').status).toBe(1)
    // One digit of the digest of a witness.
    const [first = '', ...others] = readFileSync(signedFile(), 'utf8').split('\n')
    const { payload, ...rest } = JSON.parse(first)
    const statement = Buffer.from(payload, 'base64').toString()
    const digit = (_: string, start: string, found: string) => start + (found === '0' ? '1' : '0')
    const changed = statement.replace(/("sha256":")(.)/, digit)
    const forged = { ...rest, payload: Buffer.from(changed).toString('base64') }
    writeFileSync(signedFile(), [JSON.stringify(forged), ...others].join('\n'))
    expect([changed === statement, by('harness').status]).toEqual([false, 1])
  })

  describe('a trusted key', () => {
    test('[proofs.9.trust] is added by a person at a terminal', async () => {
      const add = ['trust', 'add', publicAt('ci'), '--role', 'ci']
      const nobody = premath(add, { env: env(), isUnattended: true })
      expect([nobody.status, nobody.stderr]).toEqual([
        1,
        expect.stringContaining('override_needs_terminal'),
      ])
      const declined = await atTerminal('\n', ...add)
      expect([declined.status, declined.stderr]).toEqual([1, expect.stringContaining('? [y/N] ')])
      expect(existsSync(at('.premath/trust.json'))).toBe(false)
      expect((await atTerminal('y\n', ...add)).status).toBe(0)
      expect(done(undefined, 'trust', 'list')).toMatch(/^ci {7}[0-9a-f]{64}\n$/)
      expect(done(undefined, ...add)).toContain('Trusted as ci already')
      expect(asked(undefined, 'trust', 'add', publicAt('ci'), '--role', 'harness').status).toBe(2)
      const [{ addedBy }] = JSON.parse(readFileSync(at('.premath/trust.json'), 'utf8')).keys
      expect(addedBy).toEqual({ actor: 'terminal', uid: process.getuid?.() })
    })

    test('[proofs.9.trust] is added by a script if the policy on the target says so', () => {
      writeScriptPolicy(project.folder)
      gitIn(project.folder, 'add', '--force', '.premath/policy.json')
      gitIn(project.folder, 'commit', '--quiet', '--message', 'Let scripts override.')
      const add = ['trust', 'add', publicAt('ci'), '--role', 'ci']
      expect(premath(add, { env: env(), isUnattended: true }).status).toBe(0)
      const [{ addedBy }] = JSON.parse(readFileSync(at('.premath/trust.json'), 'utf8')).keys
      expect(addedBy).toMatchObject({ actor: 'script' })
    })

    test('[proofs.9.trust] is in a list that the doctor checks and uninit knows', async () => {
      await trust('ci', 'ci')
      const { checked } = JSON.parse(done(undefined, 'doctor', '--json')).summary
      expect(checked).toContain('trust')
      const { stays } = JSON.parse(done(undefined, 'uninit', '--yes', '--json'))
      const why = 'keys whose signatures count'
      expect(stays).toContainEqual({ name: '.premath/trust.json', why })
      writeFileSync(at('.premath/trust.json'), '{ "schema": 1, "keys": [{}] }')
      const broken = asked(undefined, 'doctor')
      expect([broken.status, broken.stdout]).toEqual([
        3,
        expect.stringContaining('keys[0].keyId is missing'),
      ])
    })

    test.each(['PREMATH_STEP_ID', 'PREMATH_INSTRUCTION_ID'])(
      '[proofs.9.trust] is added or removed by no agent with %s',
      name => {
        const add = ['trust', 'add', publicAt('ci'), '--role', 'ci']
        const { status, stderr } = premath(add, { env: { ...env(), [name]: 'x' } })
        expect([status, stderr]).toEqual([1, expect.stringContaining('list of trusted keys')])
      },
    )

    test('[proofs.9.trust] must be a public key, with the id that the list has', async () => {
      expect((await atTerminal('y\n', 'trust', 'add', keyAt('ci'), '--role', 'ci')).status).toBe(2)
      await trust('ci', 'ci')
      const text = readFileSync(at('.premath/trust.json'), 'utf8')
      const other = JSON.stringify(readFileSync(publicAt('other'), 'utf8'))
      const own = JSON.stringify(readFileSync(publicAt('ci'), 'utf8'))
      writeFileSync(at('.premath/trust.json'), text.replace(own, other))
      expect(asked(undefined, 'trust', 'list').stderr).toContain('has another id')
      expect(asked(undefined, 'trust', 'remove', 'zz').status).toBe(2)
    })
  })
})
