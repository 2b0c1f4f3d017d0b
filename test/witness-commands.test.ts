/** Witnesses and proofs, by the built command on real files. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import { jsonSchemas } from '../src/wire/index.ts'
import { aProject } from './a-project.ts'
import { proofPart, unpackProofs } from './a-proof.ts'
import { describeWithGit, gitIn } from './a-repository.ts'
import { block } from './a-spec-run.ts'
import { checkedOperations } from './checked-answers.ts'

const project = aProject()
const { asked, done, premath } = project

const at = (path: string) => join(project.folder, path)
const text = (path: string) => readFileSync(at(path), 'utf8')
const put = (path: string, content: string) => {
  mkdirSync(join(at(path), '..'), { recursive: true })
  writeFileSync(at(path), content)
}

const verify = (...args: readonly string[]) => {
  const { status, json } = asked(['witness', 'verify', ...args])
  return { status, classes: json.failureClasses, items: json.items }
}
/** The exit code, and what is found where. */
const found = (...args: readonly string[]) => {
  const { status, items } = verify(...args)
  const findings = items.flatMap((item: { findings: object[] }) => item.findings)
  return [status, findings.map((one: Finding) => [one.failureClass, one.at])]
}
interface Named {
  readonly name: string
  readonly result: string
}
interface Finding {
  readonly failureClass: string
  readonly at: string
}

const proofs = '.premath/proofs/bd-1'
const fileOf = (kind: string, folder = proofs) => {
  const name = readdirSync(at(folder)).find(one => one.startsWith(`${kind}-`))
  return `${folder}/${name}`
}

const chainIn = () => JSON.parse(proofPart(at(proofs), 'chain').text)

/** Closed by a step, with claim, turn and verification. */
function closedByStep() {
  done('issue', 'add', 'One')
  const { status } = premath(['harness-step', '--work-cmd', 'true', '--verify-cmd', 'true'])
  expect(status).toBe(0)
}

beforeEach(() => done('init'))

describe('closing leaves a proof', () => {
  test('of a step: claim, turn, verification and close, under one digest', () => {
    closedByStep()
    expect(readdirSync(at(proofs))).toEqual([expect.stringMatching(/^proof-[0-9a-f]{64}\.json$/)])
    const chain = chainIn()
    expect(chain).toMatchObject({
      issueId: 'bd-1',
      claim: { leaseId: 'lease1_bd-1_worker', fence: 1, worker: 'worker' },
      links: [{ kind: 'join' }, { kind: 'verify' }],
      closedBy: { by: 'verification' },
    })
    const { metadata, closed_at } = project.rowsById()['bd-1']
    expect(metadata.premathClose.chain).toBe(chain.chainDigest)
    expect(closed_at).toBe(chain.closedAt)
    const [original = ''] = metadata.premathClose.witnesses
    expect(proofPart(at(proofs), 'verify').text).toBe(text(original))
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    const validate = ajv.compile(jsonSchemas()['premath.proof.chain.v1'] as object)
    expect(validate(chain), JSON.stringify(validate.errors)).toBe(true)
    expect(found('bd-1', '--tree')).toEqual([0, []])
  })

  test('of specs: every run that was needed', () => {
    put('specs/one.spec.md', block('id: A', 'type: cli.run', 'harness: {entrypoint: ["true"]}'))
    put('specs/two.spec.md', block('id: B', 'type: cli.run', 'harness: {entrypoint: ["true"]}'))
    done('issue', 'add', 'One', '--spec', 'specs')
    premath(['spec', 'run', 'specs/one.spec.md', '--root', '.'])
    premath(['spec', 'run', 'specs/two.spec.md', '--root', '.'])
    done('issue', 'update', 'bd-1', '--status', 'closed')
    const { links, documents } = chainIn()
    expect(links.map(({ kind }: { kind: string }) => kind)).toEqual(['spec', 'spec'])
    expect(documents).toEqual(
      ['specs/one.spec.md', 'specs/two.spec.md'].map(path => ({
        path,
        sha256: `sha256:${createHash('sha256').update(text(path)).digest('hex')}`,
      })),
    )
    expect(found('bd-1', '--tree')).toEqual([0, []])
  })

  test('of a person: the reason, and no witness', () => {
    done('issue', 'add', 'One')
    premath(['issue', 'update', 'bd-1', '--status', 'closed', '--force', '--reason', 'Moot'])
    expect(chainIn()).toMatchObject({
      closedBy: { by: 'force', reason: 'Moot' },
      links: [],
    })
    expect(found('bd-1')).toEqual([1, [['proof_forced', 'bd-1']]])
    expect(found('bd-1', '--allow-forced')).toEqual([0, []])
    expect(premath(['witness', 'verify', 'bd-1']).stdout).toContain(', closed by force: Moot\n')
    expect(found('bd-1', '--tree', '--allow-forced')).toEqual([
      1,
      [['witness_tree_changed', 'bd-1']],
    ])
  })

  test('beside that of an earlier close, which no longer counts', () => {
    closedByStep()
    const before = readdirSync(at(proofs))
    done('issue', 'update', 'bd-1', '--status', 'open')
    expect(found('bd-1')).toEqual([1, [['proof_superseded', 'bd-1']]])
    expect(found('--all')).toEqual([0, []])
    put('made.txt', 'x')
    premath(['issue', 'update', 'bd-1', '--status', 'closed', '--verify-cmd', 'cat made.txt'])
    expect(readdirSync(at(proofs))).toHaveLength(2)
    expect(readdirSync(at(proofs))).toEqual(expect.arrayContaining(before))
    expect(found('bd-1', '--tree')).toEqual([0, []])
    expect(found('--all')).toEqual([0, []])
    const [earlier = ''] = before
    expect(done('witness', 'show', 'bd-1').others).toEqual([earlier])
    expect(premath(['witness', 'verify', 'bd-1']).stdout).toContain(earlier)
    expect(found(`${proofs}/${earlier}`)).toEqual([1, [['proof_superseded', 'bd-1']]])
    const listed = done('witness', 'list', '--kind', 'chain').items
    expect(listed.map(({ result }: { result: string }) => result).sort()).toEqual([
      'accepted',
      'superseded',
    ])
  })

  test.each(['../../escape', 'A/b', '..', 'CON'])('of %j, inside the folder of proofs', id => {
    project.given({ id, title: 'One', status: 'open' })
    const { status } = premath([
      'issue',
      'update',
      id,
      '--status',
      'closed',
      '--force',
      '--reason',
      'x',
    ])
    expect(status).toBe(0)
    const names = readdirSync(at('.premath/proofs'))
    expect(names).toEqual([expect.stringMatching(/^[a-z0-9_]*~[0-9a-f]{32}$/)])
    expect(found(`.premath/proofs/${names[0]}`, '--allow-forced')).toEqual([0, []])
    expect(verify('--all', '--allow-forced').status).toBe(0)
  })

  test('nowhere, and closes nothing, if the folder is a link', () => {
    done('issue', 'add', 'One')
    mkdirSync(join(project.folder, '../elsewhere'), { recursive: true })
    symlinkSync('../../elsewhere', at('.premath/proofs'))
    const { status, stderr } = premath([
      'issue',
      'update',
      'bd-1',
      '--status',
      'closed',
      '--force',
      '--reason',
      'x',
    ])
    expect([status, stderr]).toEqual([3, expect.stringContaining('lies behind a symbolic link')])
    expect(readdirSync(join(project.folder, '../elsewhere'))).toEqual([])
    expect(project.rowsById()['bd-1'].status).toBe('open')
  })
})

describe('verification of a proof in a bundle', () => {
  beforeEach(closedByStep)

  const bundle = () => fileOf('proof')
  const bundleName = () => bundle().slice(proofs.length + 1)

  test('detects a changed copy, and names it', () => {
    const { name } = proofPart(at(proofs), 'join')
    put(bundle(), text(bundle()).replace('\\"accepted\\"', '\\"Accepted\\"'))
    expect(found('bd-1')).toEqual([5, [['witness_changed', name]]])
    expect(found(bundle())).toEqual([5, [['witness_changed', name]]])
  })

  test('detects a bundle with the proof of another close', () => {
    const before = bundle()
    done('issue', 'add', 'Two')
    premath(['issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'true'])
    cpSync(at(fileOf('proof', '.premath/proofs/bd-2')), at(before))
    expect(found('bd-1')).toEqual([5, [['witness_unreadable', before.slice(proofs.length + 1)]]])
    expect(found('bd-2')).toEqual([0, []])
  })

  test('accepts it as a file, without the original witnesses, and by the digest of a copy', () => {
    rmSync(at('artifacts'), { recursive: true })
    expect(found('bd-1', '--all', bundle())).toEqual([0, []])
    const { items } = done('witness', 'list')
    expect(items.map(({ kind, path }: Record<string, string>) => [kind, path]).sort()).toEqual(
      ['chain', 'join', 'verify'].map(kind => [kind, bundle()]),
    )
    for (const { digest } of items.filter(({ kind }: { kind: string }) => kind !== 'chain')) {
      expect(found(digest)).toEqual([0, []])
    }
  })

  test('accepts it where the same close is there in files too', () => {
    const [path, written] = [bundle(), text(bundle())]
    unpackProofs(at(proofs))
    put(path, written)
    expect(found('bd-1')).toEqual([0, []])
    expect(found('--all')).toEqual([0, []])
  })
  test.each([
    ['a link', (path: string) => symlinkSync('../../issues.jsonl', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    ['cut off', (path: string) => writeFileSync(path, '{"bundleKind":')],
    ['another document', (path: string) => writeFileSync(path, '{}\n')],
  ])('names a bundle that is %s', (_, make) => {
    const [path, name] = [bundle(), bundleName()]
    rmSync(at(path))
    make(at(path))
    expect(found('bd-1')).toEqual([5, [['witness_unreadable', name]]])
    expect(verify('--all').status).toBe(5)
    expect(done('witness', 'list', '--kind', 'chain').items).toMatchObject([{ result: 'broken' }])
  })

  test('removes it, and the draft of one, with the leftovers of a crash', () => {
    put(`${bundle()}.tmp.7.0`, '{')
    premath(['doctor', '--fix'])
    expect(readdirSync(at(proofs))).toEqual([bundleName()])
  })
})

/** Proofs that were written before there were bundles. */
describe('verification of a proof in files', () => {
  beforeEach(() => {
    closedByStep()
    unpackProofs(at(proofs))
  })

  /** The same project in memory, where a run takes a moment. */
  function inMemory() {
    const files: Record<string, Uint8Array> = {}
    const names = [
      '.premath/issues.jsonl',
      ...readdirSync(at(proofs)).map(one => `${proofs}/${one}`),
    ]
    for (const name of names) files[`/p/${name}`] = readFileSync(at(name))
    return files
  }
  const verifiedIn = async (files: Readonly<Record<string, Uint8Array>>) => {
    const world = simWorld({ disk: new SimDisk({ files }), cwd: '/p' })
    const words = ['witness', 'verify', 'bd-1', '--json']
    const status = await runCommand(words, checkedOperations, world)
    return { status, output: world.printed.out }
  }

  test.each([
    ['files', 3],
    ['a bundle', 1],
  ])('detects any changed byte of a proof in %s', async (form, count) => {
    if (form === 'a bundle') {
      premath(['issue', 'update', 'bd-1', '--status', 'open'])
      rmSync(at(proofs), { recursive: true })
      premath(['issue', 'update', 'bd-1', '--status', 'closed', '--verify-cmd', 'true'])
    }
    const files = inMemory()
    expect(await verifiedIn(files)).toMatchObject({ status: 0 })
    const paths = Object.keys(files).filter(path => path.includes('/proofs/'))
    expect(paths).toHaveLength(count)
    const change = fc.record({
      path: fc.constantFrom(...paths),
      place: fc.nat(),
      add: fc.integer({ min: 1, max: 255 }),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ path, place, add }) => {
        const bytes = Uint8Array.from(files[path] ?? [])
        const spot = place % bytes.length
        bytes[spot] = ((bytes[spot] ?? 0) + add) % 256
        const { status, output } = await verifiedIn({ ...files, [path]: bytes })
        expect(status).toBe(5)
        // In a bundle the finding names the copy.
        if (count > 1) expect(output).toContain(path.slice(path.lastIndexOf('/') + 1))
      }),
      { numRuns: 300 },
    )
  })

  test('detects a changed byte in the real file, and names it', () => {
    const path = fileOf('join')
    writeFileSync(at(path), text(path).replace('"accepted"', '"Accepted"'))
    const name = path.slice(path.lastIndexOf('/') + 1)
    expect(found('bd-1')).toEqual([5, [['witness_changed', name]]])
    const { stdout, status } = premath(['witness', 'verify', '--all'])
    expect([status, stdout]).toEqual([5, expect.stringContaining(name.slice(0, 16))])
  })

  test('detects a replaced proof, since the row names the old one', () => {
    const before = text(fileOf('chain'))
    done('issue', 'add', 'Two')
    premath(['issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'true'])
    rmSync(at(proofs), { recursive: true })
    renameSync(at('.premath/proofs/bd-2'), at(proofs))
    expect(proofPart(at(proofs), 'chain').text).not.toBe(before)
    expect(verify('bd-1')).toMatchObject({ status: 5, classes: ['proof_row_mismatch'] })
  })

  test('compares the proof with the row', () => {
    const rows = Object.values(project.rowsById()) as { metadata: { premathClose: object } }[]
    for (const row of rows) row.metadata.premathClose = { by: 'force', reason: 'x' }
    project.given(...rows)
    expect(verify('bd-1')).toMatchObject({ status: 5, classes: ['proof_row_mismatch'] })
  })

  test('rejects changed files, a rejected witness and a missing proof', () => {
    put('new.txt', 'x')
    expect(found('bd-1')).toEqual([0, []])
    expect(found('bd-1', '--tree')).toEqual([1, [['witness_tree_changed', 'bd-1']]])
    done('issue', 'add', 'Two')
    premath(['issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'false'])
    const { items } = done('witness', 'list', '--issue', 'bd-2')
    expect(items).toMatchObject([{ kind: 'verify', result: 'rejected' }])
    const [{ path, digest }] = items
    expect(found(digest)).toEqual([1, [['witness_rejected', path]]])
    expect(found('--all')).toEqual([0, []])
    expect(found('bd-2')).toEqual([1, [['proof_missing', 'bd-2']]])
    rmSync(at(proofs), { recursive: true })
    expect(found('--all')).toEqual([1, [['proof_missing', 'bd-1']]])
  })

  test('does not need the original witnesses', () => {
    rmSync(at('artifacts'), { recursive: true })
    expect(found('bd-1', '--all')).toEqual([0, []])
    expect(done('witness', 'list').items).toHaveLength(3)
  })

  test.each([
    ['a link', (path: string) => symlinkSync('../../issues.jsonl', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    ['gone', () => {}],
    [
      '100 MB',
      (path: string) => {
        const file = openSync(path, 'w')
        ftruncateSync(file, 100_000_000)
        closeSync(file)
      },
    ],
  ])('names a copy that is %s', (_, make) => {
    const path = fileOf('verify')
    rmSync(at(path))
    make(at(path))
    expect(found('bd-1')).toEqual([
      5,
      [['witness_unreadable', path.slice(path.lastIndexOf('/') + 1)]],
    ])
    const lying = at('artifacts/ciwitness/verify')
    for (const name of readdirSync(lying)) {
      rmSync(join(lying, name))
      make(join(lying, name))
    }
    expect(verify('--all').status).toBe(5)
    expect(done('witness', 'list', '--kind', 'join').count).toBe(1)
  })

  test('names files in a proof that are no part of it', () => {
    put(`${proofs}/notes.txt`, 'mine')
    put(`${proofs}/spec-${'0'.repeat(64)}-${'0'.repeat(16)}.json`, '{}')
    mkdirSync(at(`${proofs}/folder`))
    put('.premath/proofs/.DS_Store', '')
    const strays = [
      ['proof_stray', 'folder'],
      ['proof_stray', 'notes.txt'],
      ['proof_stray', `spec-${'0'.repeat(64)}-${'0'.repeat(16)}.json`],
    ]
    const [item] = verify('bd-1').items
    expect([item.result, item.findings]).toEqual(['accepted', []])
    expect(item.beside.map(({ name, result }: Named) => [name, result])).toEqual(
      strays.map(([, name]) => [name, 'rejected']),
    )
    expect(premath(['witness', 'verify', 'bd-1']).stdout).toContain(
      'beside it, rejected: proof_stray: notes.txt',
    )
    expect(found('--all')).toEqual([1, [['proof_stray', '.DS_Store'], ...strays]])
  })

  test('judges a proof by its own files, and reports problems of an earlier one', () => {
    const earlier = fileOf('chain').slice(proofs.length + 1)
    const before = text(`${proofs}/${earlier}`)
    done('issue', 'update', 'bd-1', '--status', 'open')
    premath(['issue', 'update', 'bd-1', '--status', 'closed', '--verify-cmd', 'true'])
    put(`${proofs}/${earlier}`, before.replace('worker', 'walker'))
    const [item] = verify('bd-1').items
    expect([item.result, item.beside]).toMatchObject([
      'accepted',
      [{ name: earlier, result: 'broken', findings: [{ failureClass: 'witness_changed' }] }],
    ])
    expect(found('bd-1')).toEqual([0, []])
    expect(found('--all')).toEqual([5, [['witness_changed', earlier]]])
    rmSync(at(`${proofs}/${earlier}`))
    expect(found('bd-1')).toEqual([0, []])
    expect(found('--all')[0]).toBe(1)
  })

  test('treats copies without a chain of an open issue as no proof, and not as a broken one', () => {
    done('issue', 'update', 'bd-1', '--status', 'open')
    rmSync(at(fileOf('chain')))
    expect(found('bd-1')).toEqual([1, [['proof_missing', 'bd-1']]])
    expect(verify('--all')).toMatchObject({ status: 1, classes: ['proof_stray'] })
  })

  test.each([
    [[], 'nothing to verify'],
    [['bd-7'], 'Did you mean bd-1?'],
    [['ffffffff'], 'no witness, issue or file is called ffffffff'],
    [['none.json'], 'none.json cannot be read as a witness: it is gone'],
    [['.premath/policy.json'], 'of an unknown kind'],
    [['--attestation', 'x'], '--attestation and --public-key must be given together'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = premath(['witness', 'verify', ...args])
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('refuses an ambiguous start of a digest', () => {
    const copy = fileOf('verify')
    const digest = /([0-9a-f]{64})/.exec(copy)?.[1] ?? ''
    const other = `${digest.slice(0, 8)}${'0'.repeat(56)}`
    put(`artifacts/ciwitness/verify/${other}.json`, '{}')
    const { status, stderr } = premath(['witness', 'show', digest.slice(0, 8)])
    expect(status).toBe(2)
    expect(stderr).toContain(`${digest.slice(0, 8)} is the start of 2 digests`)
    expect(stderr).toContain(digest.slice(0, 16))
    expect(done('witness', 'show', digest.slice(0, 12)).document.issueId).toBe('bd-1')
  })
})

describe('doctor', () => {
  const visit = () => {
    const { status, json } = asked(['doctor'])
    const found = json.findings.map(({ check, what }: Record<string, string>) => [check, what])
    return { status, found, looked: json.summary.looked.proofs }
  }

  test('checks the proofs of closed issues, and reports missing and broken ones', () => {
    closedByStep()
    done('issue', 'add', 'Two')
    premath(['issue', 'update', 'bd-2', '--status', 'closed', '--force', '--reason', 'x'])
    done('issue', 'add', 'Three')
    expect(visit()).toEqual({ status: 0, found: [], looked: { looked: 2, of: 2 } })
    rmSync(at('.premath/proofs/bd-2'), { recursive: true })
    expect(visit()).toMatchObject({
      status: 1,
      found: [['proofs', '1 closed issue has no proof any more: bd-2']],
    })
    // As in a clone, which has no copy.
    project.forgetAcknowledged()
    expect(visit()).toMatchObject({
      status: 1,
      found: [['proofs', expect.stringContaining('bd-2: it has no proof (proof_missing)')]],
    })
    writeFileSync(at(fileOf('proof')), '{}')
    expect(visit()).toMatchObject({
      status: 5,
      found: [
        ['proofs', expect.anything()],
        ['proofs', expect.anything()],
      ],
    })
    const { stdout } = premath(['doctor'])
    expect(stdout.replace(/\s+/g, ' ')).toContain('premath witness verify bd-1')
    expect(stdout).toContain('2 of 2 checked')
    // Open again: nothing has to be shown.
    done('issue', 'update', 'bd-1', '--status', 'open')
    done('issue', 'update', 'bd-2', '--status', 'open')
    expect(visit()).toEqual({ status: 0, found: [], looked: { looked: 0, of: 0 } })
  })

  test('reports leftovers of an interrupted close, and removes them with --fix', () => {
    closedByStep()
    done('issue', 'add', 'Two')
    const lost = `.premath/proofs/bd-2/verify-${'0'.repeat(64)}-${'0'.repeat(16)}.json`
    put(lost, '{}')
    put(`${lost}.tmp.7.0`, '{')
    const says = { found: [['proofs', expect.stringContaining('bd-2 has 2 files of a close')]] }
    expect(visit()).toMatchObject({ status: 1, ...says })
    premath(['doctor', '--fix'])
    expect(readdirSync(at('.premath/proofs/bd-2'))).toEqual([])
    expect(visit().status).toBe(0)
    expect(found('--all')).toEqual([0, []])
  })

  test('checks the last hundred, and says so', () => {
    closedByStep()
    const row = project.rowsById()['bd-1']
    const others = Array.from({ length: 120 }, (_, index) => ({
      ...row,
      id: `old-${index}`,
      closed_at: '2020-01-01T00:00:00Z',
    }))
    project.given(row, ...others)
    expect(visit().looked).toEqual({ looked: 100, of: 121 })
    project.given(row)
    expect(visit().status).toBe(0)
  })
})

describe('show and list', () => {
  beforeEach(closedByStep)

  test('list shows each witness once, and fits the page', () => {
    const { items } = done('witness', 'list')
    expect(
      items
        .map(({ kind, result, issueIds }: Record<string, unknown>) => [kind, result, issueIds])
        .sort(),
    ).toEqual([
      ['chain', 'accepted', ['bd-1']],
      ['join', 'accepted', ['bd-1']],
      ['verify', 'accepted', ['bd-1']],
    ])
    expect(done('witness', 'list', '--kind', 'join').count).toBe(1)
    expect(done('witness', 'list', '--issue', 'bd-9').count).toBe(0)
    expect(done('witness', 'list', '--limit', '2')).toMatchObject({ count: 2, total: 3 })
    const { stdout } = premath(['witness', 'list'], { env: { COLUMNS: '40' } })
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  })

  test('list marks a broken witness', () => {
    for (const one of [
      fileOf('proof'),
      ...readdirSync(at('artifacts/ciwitness/verify')).map(
        name => `artifacts/ciwitness/verify/${name}`,
      ),
    ]) {
      writeFileSync(at(one), '{"cut')
    }
    expect(done('witness', 'list', '--kind', 'verify').items).toMatchObject([{ result: 'broken' }])
    expect(done('witness', 'list', '--kind', 'chain').items).toMatchObject([{ result: 'broken' }])
  })

  test('show finds a witness by digest, prefix, file or issue', () => {
    const [{ digest, path }] = done('witness', 'list', '--kind', 'verify').items
    for (const name of [digest, digest.slice(7, 20), path]) {
      expect(done('witness', 'show', name)).toMatchObject({ digest, document: { issueId: 'bd-1' } })
    }
    expect(premath(['witness', 'show', 'bd-1']).stdout).toContain('by verification')
    writeFileSync(at(path), text(path).replace('"exitCode": 0', '"exitCode": 1'))
    expect(asked(['witness', 'show', path])).toMatchObject({
      status: 5,
      json: { result: 'broken' },
    })
  })
})

describe('export', () => {
  beforeEach(closedByStep)

  test('a bundle is verified without the project, and refused if it was changed or truncated', () => {
    done('witness', 'export', 'bd-1', '--output', 'bundle.json')
    const bundle = text('bundle.json')
    expect(premath(['witness', 'export', 'bd-1']).stdout).toBe(bundle)
    const elsewhere = join(project.folder, '../bundles')
    mkdirSync(elsewhere, { recursive: true })
    const path = join(elsewhere, 'bundle.json')
    const verified = (content: string) => {
      writeFileSync(path, content)
      return asked(['witness', 'verify', 'bundle.json'], {
        cwd: elsewhere,
      }).status
    }
    expect(verified(bundle)).toBe(0)
    expect(verified(bundle.replace('accepted', 'Accepted'))).toBe(5)
    expect(verified(`${bundle} `)).toBe(5)
    expect(verified(bundle.replace(/"spec|"verify-[0-9a-f]{8}/, '"verify-00000000'))).toBe(5)
    expect(verified(bundle.slice(0, bundle.length / 2))).toBe(2)
  })

  test('refuses a proof that does not verify', () => {
    put(fileOf('proof'), text(fileOf('proof')).replace('worker', 'w0rker'))
    expect(asked(['witness', 'export', 'bd-1', '--output', 'x.json']).status).toBe(5)
    expect(asked(['witness', 'export', 'bd-7', '--output', 'x.json'])).toMatchObject({
      status: 1,
      json: { failureClasses: ['proof_missing'] },
    })
    expect(existsSync(at('x.json'))).toBe(false)
  })

  test.each([
    [['--output', '.premath/issues.jsonl'], 'is the issue memory itself'],
    [['--output', `${proofs}/chain.json`], 'lies among the proofs'],
    [['--output', '.premath/memory/uses/instr1_a.jsonl'], 'lies among the instructions'],
    [['--output', '.premath/steps/worker.jsonl'], 'lies among the journals'],
    [['--output', 'artifacts/ciwitness/a.json'], 'lies among the witnesses'],
    [['--key', 'k.pem'], '--key requires --attest'],
  ])('refuses %j', (args, message) => {
    const { status, stderr } = premath(['witness', 'export', 'bd-1', ...args])
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(found('bd-1')).toEqual([0, []])
  })
})

describe('attestations', () => {
  const home = () => ({ env: { HOME: join(project.folder, '../home'), XDG_CONFIG_HOME: '' } })
  const key = () => join(project.folder, '../home/ci.pem')
  const publicKey = () => key().replace('.pem', '.pub.pem')
  /** As CI does it: the key is named, and is not the one of a person. */
  const keygen = () => premath(['witness', 'keygen', '--key', key()], home())
  const attest = (...args: readonly string[]) =>
    asked(
      ['witness', 'export', 'bd-1', '--attest', '--key', key(), '--output', 'a.jsonl', ...args],
      home(),
    )
  const verified = (...args: readonly string[]) =>
    found('--attestation', 'a.jsonl', '--public-key', publicKey(), ...args)

  beforeEach(() => {
    rmSync(join(project.folder, '../home'), { recursive: true, force: true })
    closedByStep()
  })

  test('name the passed checks and the verification, signed by a key that is made once', () => {
    const { status, stdout, stderr } = keygen()
    expect(status).toBe(0)
    expect(statSync(key()).mode & 0o777).toBe(0o600)
    const secret = readFileSync(key(), 'utf8').split('\n')[1] ?? ''
    expect(`${stdout}${stderr}`).not.toContain(secret)
    expect(keygen().status).toBe(2)

    expect(attest().status).toBe(0)
    const statements = text('a.jsonl')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(atob(JSON.parse(line).payload)))
    const tree = chainIn().treeDigest
    const subject = [{ name: tree, digest: { premathTree1: tree.slice(6) } }]
    expect(statements).toMatchObject([
      {
        subject,
        predicateType: expect.stringMatching(/test-result/),
        predicate: { result: 'PASSED' },
      },
      {
        subject,
        predicateType: expect.stringMatching(/verification_summary/),
        predicate: { verificationResult: 'PASSED' },
      },
    ])
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      jsonSchemas()['premath.attestation.statement.v1'] as object,
    )
    for (const one of statements) expect(validate(one), JSON.stringify(validate.errors)).toBe(true)
    expect(verified()).toEqual([0, []])
    // The attestation itself is a new file.
    expect(verified('--tree')[0]).toBe(1)
    expect(text('a.jsonl')).not.toContain(secret)
  })

  test('that were changed, or signed by another key, are detected', () => {
    keygen()
    attest()
    const whole = text('a.jsonl')
    const [first = '', second = ''] = whole.trimEnd().split('\n')
    const { payload } = JSON.parse(second)
    put('a.jsonl', `${JSON.stringify({ ...JSON.parse(first), payload })}\n${second}\n`)
    expect(verified()).toEqual([5, [['attestation_forged', 'a.jsonl:1']]])
    put('a.jsonl', whole.slice(0, -20))
    expect(verified()).toEqual([5, [['attestation_invalid', 'a.jsonl:2']]])
    put('a.jsonl', '')
    expect(verified()).toEqual([5, [['attestation_invalid', 'a.jsonl:1']]])
    put('a.jsonl', whole)
    premath(['witness', 'keygen', '--key', 'other.pem'])
    expect(found('--attestation', 'a.jsonl', '--public-key', 'other.pub.pem')[0]).toBe(5)
    const { status, stderr } = premath([
      'witness',
      'verify',
      '--attestation',
      'a.jsonl',
      '--public-key',
      key(),
    ])
    expect([status, stderr]).toEqual([2, expect.stringContaining('is not a public Ed25519 key')])
  })

  test('are not signed with a key that is readable by others, invalid or missing', () => {
    const refused = () => {
      const { status, stderr } = premath(
        ['witness', 'export', 'bd-1', '--attest', '--key', key(), '--output', 'a.jsonl'],
        home(),
      )
      expect(existsSync(at('a.jsonl'))).toBe(false)
      return [status, stderr]
    }
    expect(refused()).toEqual([2, expect.stringContaining('keygen makes one')])
    keygen()
    chmodSync(key(), 0o644)
    expect(refused()).toEqual([2, expect.stringContaining('can be read or written by others')])
    chmodSync(key(), 0o600)
    writeFileSync(key(), 'secret-that-is-no-key')
    const [status, stderr] = refused()
    expect([status, stderr]).toEqual([2, expect.stringContaining('is not a private Ed25519 key')])
    expect(stderr).not.toContain('secret-that')
  })

  test('must match the named proof', () => {
    keygen()
    done('issue', 'add', 'Two')
    premath(['issue', 'update', 'bd-2', '--status', 'closed', '--verify-cmd', 'true'])
    attest()
    expect(verified('bd-1')).toEqual([0, []])
    const other = ['attestation_other', 'a.jsonl']
    // The files are the same: what passed on them may stand, the summary may not.
    expect(verified('bd-2')).toEqual([1, [['attestation_other', 'a.jsonl:2'], other]])
    put('a.jsonl', `${text('a.jsonl').split('\n')[0]}\n`)
    expect(verified('bd-2')).toEqual([1, [other]])
    expect(verified('bd-1', 'bd-2')).toEqual([1, [other, other]])
  })

  test('are not made for a close without verification', () => {
    keygen()
    done('issue', 'add', 'Two')
    premath(['issue', 'update', 'bd-2', '--status', 'closed', '--force', '--reason', 'x'])
    const { status, json } = asked(
      ['witness', 'export', 'bd-2', '--attest', '--key', key()],
      home(),
    )
    expect([status, json.failureClasses]).toEqual([1, ['proof_unmet']])
  })
})

describeWithGit('in a repository', () => {
  test('proofs are tracked, witnesses are not, and a clone verifies them', () => {
    gitIn(project.folder, 'init', '--quiet')
    closedByStep()
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message=one')
    const tracked = gitIn(project.folder, 'ls-files').split('\n')
    expect(tracked.filter(path => path.startsWith(proofs))).toHaveLength(1)
    expect(tracked.filter(path => path.startsWith('artifacts/'))).toEqual([])
    const clone = `${project.folder}-clone`
    gitIn(project.folder, 'clone', '--quiet', project.folder, clone)
    const { status } = asked(['witness', 'verify', 'bd-1', '--all', '--tree'], { cwd: clone })
    expect(status).toBe(0)
    cpSync(clone, `${clone}-2`, { recursive: true })
    writeFileSync(`${clone}-2/new.txt`, 'x')
    expect(asked(['witness', 'verify', 'bd-1', '--tree'], { cwd: `${clone}-2` }).status).toBe(1)
  })

  test('a clone whose git translates the ends of lines has the bytes of a proof', () => {
    gitIn(project.folder, 'init', '--quiet')
    closedByStep()
    const doctor = () => premath(['doctor']).stdout
    rmSync(at('.premath/.gitattributes'))
    expect(doctor()).toContain('.premath/.gitattributes lacks the line * -text')
    put('.premath/.gitattributes', '*.md text')
    done('init')
    done('init')
    expect(text('.premath/.gitattributes')).toBe('*.md text\n* -text\n')
    expect(doctor()).not.toContain('.gitattributes')
    gitIn(project.folder, 'add', '--all')
    gitIn(project.folder, 'commit', '--quiet', '--message=one')
    const clone = `${project.folder}-clone`
    const translating = ['-c', 'core.autocrlf=true', 'clone', '--quiet']
    gitIn(project.folder, ...translating, project.folder, clone)
    expect(asked(['witness', 'verify', 'bd-1', '--all'], { cwd: clone }).status).toBe(0)
  })

  test('an issue that two clones closed has two proofs, and the row names one', () => {
    gitIn(project.folder, 'init', '--quiet')
    premath(['init', '--merge-driver'])
    put('specs/one.spec.md', block('id: A', 'type: cli.run', 'harness: {entrypoint: ["true"]}'))
    done('issue', 'add', 'One', '--spec', 'specs')
    done('issue', 'update', 'bd-1', '--status', 'closed', '--verify')
    done('issue', 'update', 'bd-1', '--status', 'open')
    const commit = (folder: string, message: string) => {
      gitIn(folder, 'add', '--all')
      gitIn(folder, 'commit', '--quiet', `--message=${message}`)
    }
    commit(project.folder, 'one')
    const clone = `${project.folder}-clone`
    gitIn(project.folder, 'clone', '--quiet', project.folder, clone)
    premath(['init', '--merge-driver'], { cwd: clone })
    // The same files on another commit: the specs give the same witness, in other bytes.
    gitIn(clone, 'commit', '--quiet', '--allow-empty', '--message=two')
    const close = ['issue', 'update', 'bd-1', '--status', 'closed', '--verify']
    for (const folder of [project.folder, clone]) {
      expect(premath(close, { cwd: folder }).status).toBe(0)
      commit(folder, 'close')
    }
    gitIn(project.folder, 'pull', '--quiet', '--no-rebase', '--no-edit', clone)
    expect(gitIn(project.folder, 'status', '--porcelain')).toBe('')
    expect(readdirSync(at(proofs))).toHaveLength(3)
    expect(found('bd-1', '--all', '--tree')).toEqual([0, []])
    const { document, others } = done('witness', 'show', 'bd-1')
    expect(document.chainDigest).toBe(project.rowsById()['bd-1'].metadata.premathClose.chain)
    expect(others).toHaveLength(2)
    done('witness', 'export', 'bd-1', '--output', 'artifacts/bundle.json')
    expect(found('artifacts/bundle.json')).toEqual([0, []])
    expect(Object.keys(JSON.parse(text('artifacts/bundle.json')).files)).toHaveLength(2)
  })
})
