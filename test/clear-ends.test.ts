/** Input and machines that are not as a command needs them: it ends, says why, and changes nothing. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject, leased } from './a-project.ts'
import { isSandboxed } from './bubblewrap.ts'
import { main } from './built-command.ts'

const project = aProject()
const { premath } = project

const file = (name: string) => join(project.folder, name)

describe('an import', () => {
  test('[memory.5.import] of a pipe without an end stops at a limit', () => {
    execFileSync('mkfifo', [file('endless')])
    const row = '{"id":"bd-9","title":"again"}'
    const writer = spawn('sh', ['-c', `exec yes '${row}' > endless`], { cwd: project.folder })
    try {
      const { status, stderr } = premath(['issue', 'import', 'endless'])
      expect(stderr).toBe(
        'error: endless: is larger than 268435456 bytes\n  Give it in smaller parts.\n',
      )
      expect(status).toBe(2)
      expect(existsSync(project.issues)).toBe(false)
    } finally {
      writer.kill('SIGKILL')
    }
  })

  test('[memory.5.import] of more rows than fit into memory is refused', () => {
    writeFileSync(file('many'), `[${'0,'.repeat(500_000)}0]`)
    const { status, stderr } = premath(['issue', 'import', 'many'])
    expect(stderr).toBe(
      'error: many: has more than 500000 rows\n  Nothing was imported. Give it in smaller parts.\n',
    )
    expect(status).toBe(2)
  })
})

test('[memory.1.far-lease] a lease far in the future ends by the command that doctor prints', () => {
  const lease = { ...leased('bd-1', 'ann', 10 ** 9).lease, owner: "ann o'neil" }
  const metadata = { premathFence: 3 }
  project.given(leased('bd-1', 'ann', 10 ** 9, { assignee: lease.owner, lease, metadata }))
  const { findings } = project.asked(['doctor']).json
  const next = findings.find(({ check }: { check: string }) => check === 'leases').next as string
  const command = next.replace(' gives it back.', '').replace('premath', `node '${main}'`)
  execFileSync('sh', ['-c', command], { cwd: project.folder, env: project.env })
  expect(project.rowsById()['bd-1']).toMatchObject({ status: 'open', metadata })
  expect(project.rowsById()['bd-1'].lease).toBeUndefined()
})

describe('a pipe in the place of the trajectory', () => {
  const trajectory = () => file('.premath/harness_trajectory.jsonl')
  const issue = () => project.rowsById()['bd-1']
  const step = (work: string) =>
    premath(['harness-step', '--work-cmd', work, '--verify-cmd', 'test -f done.txt'])

  test('[memory.5.trajectory] stops a step before its claim', () => {
    project.done('issue', 'add', 'one')
    execFileSync('mkfifo', [trajectory()])
    const { status, stderr } = step('touch done.txt')
    expect(stderr).toContain('harness_trajectory.jsonl is a device or a pipe')
    expect(status).toBe(3)
    expect(issue()).toMatchObject({ status: 'open' })
    expect(existsSync(file('done.txt'))).toBe(false)
  })

  test('[memory.5.trajectory] that work put there stops the close, until it is gone', () => {
    project.done('issue', 'add', 'one')
    const { status, stderr } = step(`touch done.txt; mkfifo '${trajectory()}'`)
    expect(stderr).toContain('harness_trajectory.jsonl is a device or a pipe')
    expect(status).toBe(3)
    expect(issue()).toMatchObject({ status: 'in_progress', assignee: 'worker' })
    rmSync(trajectory())
    expect(project.asked(['harness-boot']).json.recovered).toMatchObject({ how: 'finished' })
    expect(issue()).toMatchObject({ status: 'closed' })
    expect(project.done('harness-trajectory', 'query').count).toBe(1)
  })

  test('[memory.5.trajectory] keeps a lease at harness-stop', () => {
    project.done('issue', 'add', 'one')
    project.done('issue', 'claim', 'bd-1', '--assignee', 'worker')
    execFileSync('mkfifo', [trajectory()])
    expect(premath(['harness-stop']).status).toBe(3)
    expect(issue()).toMatchObject({ status: 'in_progress', assignee: 'worker' })
  })
})

describe('a machine without', () => {
  test.each([24, 30, 36, 40, 44])(
    '[memory.5.descriptors] more than %d file descriptors is not taken for a bug',
    descriptors => {
      execFileSync('git', ['init', '-q', project.folder])
      project.done('issue', 'add', 'one')
      const command = `ulimit -n ${descriptors}; exec '${process.execPath}' '${main}' status`
      const { status, stderr } = spawnSync('sh', ['-c', command], {
        cwd: project.folder,
        env: project.env,
        encoding: 'utf8',
      })
      // Fewer may not be enough for Node, and more may be enough for the command.
      if (status === 0 || status === null) return
      expect(stderr).toMatch(/^error: .*EMFILE.*\n {2}Let this shell open more files/)
      expect(status).toBe(3)
    },
  )

  test('[memory.5.descriptors] enough file descriptors leaves no folder of pipes behind', () => {
    execFileSync('git', ['init', '-q', project.folder])
    project.done('init')
    const TMPDIR = file('tmp')
    mkdirSync(TMPDIR)
    let failed = 0
    for (let descriptors = 28; descriptors <= 38; descriptors++) {
      const command = `ulimit -n ${descriptors}; exec '${process.execPath}' '${main}' doctor`
      const { stdout } = spawnSync('sh', ['-c', command], {
        cwd: project.folder,
        env: { ...project.env, COLUMNS: '9999', TMPDIR },
        encoding: 'utf8',
      })
      if (/a pipe for the output of a command|premath-\w+: EMFILE/.test(stdout)) failed++
      expect({ descriptors, left: readdirSync(TMPDIR) }).toEqual({ descriptors, left: [] })
    }
    expect(failed).toBeGreaterThan(0)
  })

  test.runIf(isSandboxed)('[memory.5.proc] /proc ends a step before its claim', () => {
    project.done('issue', 'add', 'one')
    const mounts = ['--dev-bind', '/', '/', '--tmpfs', '/proc']
    const step = ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'test -d .']
    const { status, stderr } = spawnSync('bwrap', [...mounts, process.execPath, main, ...step], {
      cwd: project.folder,
      env: project.env,
      encoding: 'utf8',
    })
    expect(stderr).toBe(
      'error: commands need /proc, which is not mounted\n  Mount it and run again: mount -t proc proc /proc.\n',
    )
    expect(status).toBe(3)
    expect(project.rowsById()['bd-1']).toMatchObject({ status: 'open' })
  })
})

describe('a document of a newer premath is said to be newer', () => {
  const newer = 'Update premath: an older one cannot know what the document means.'
  const policyKind = 'premath.mutation_policy.v2'
  test.each([
    ['policy.json', { schema: 2, members: 'new' }, ['issue', 'add', 'x'], 'schema is 2', 5],
    [
      'policy.json',
      { schema: 1, policyKind },
      ['issue', 'add', 'x'],
      `policyKind is ${policyKind}`,
      5,
    ],
    ['trust.json', { schema: 2, key: {} }, ['trust', 'list'], 'schema is 2', 2],
    [
      'config.json',
      { $schema: 'schemas/premath.config.v2.json', x: 1 },
      ['config', 'show'],
      'premath.config.v2',
      2,
    ],
    [
      '../policies/control/harness-retry-policy-v1.json',
      { schema: 2 },
      ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'test -d .'],
      'schema is 2',
      2,
    ],
  ] as const)('[memory.5.newer] %s %j', (name, document, args, said, exitCode) => {
    project.done('issue', 'add', 'one')
    const path = file(`.premath/${name}`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(document))
    const { status, stderr } = premath(args)
    expect(stderr).toContain(said)
    expect(stderr).toMatch(/by a newer premath; this one reads (1|premath\.\w+\.v1)/)
    expect(stderr).toContain(newer)
    expect(status).toBe(exitCode)
  })
})

describe('a document behind a link that leads nowhere is not taken for a missing one', () => {
  const add = ['issue', 'add', 'x']
  const step = ['harness-step', '--work-cmd', 'true', '--verify-cmd', 'test -d .']
  test.each([
    ['policy.json', add, 5],
    ['policy.json', ['issue', 'list'], 5],
    ['capability-registry.json', add, 5],
    ['config.json', ['config', 'show'], 3],
    ['config.json', step, 3],
    ['trust.json', ['trust', 'list'], 2],
  ])('%s: %j', (name, args, exitCode) => {
    project.done('issue', 'add', 'one')
    symlinkSync('nowhere', file(`.premath/${name}`))
    const { status, stderr } = premath(args)
    expect(stderr).toMatch(/^error: .*: it is a symbolic link that leads nowhere\n {2}\w/)
    expect(stderr).toContain(`/.premath/${name} `)
    expect(status).toBe(exitCode)
    expect(Object.values(project.rowsById())).toMatchObject([{ id: 'bd-1', status: 'open' }])
    rmSync(file(`.premath/${name}`))
    expect(premath(args).status).toBe(0)
  })
})

describe.runIf(process.platform === 'linux')('a folder whose name', () => {
  /** Runs the command in a folder that no text can name, and says what it left there. */
  const inFolder = (name: string, args: string) => {
    const made = `d="$(printf '${name}')"; mkdir -p "$d"; cd "$d"; git init -q .`
    const command = `${made}; '${process.execPath}' '${main}' ${args}; echo "exit $?"; ls -A`
    const { stdout, stderr } = spawnSync('bash', ['-c', command], {
      cwd: project.folder,
      env: project.env,
      encoding: 'utf8',
    })
    return { stdout, stderr }
  }

  test.each([
    ['is not UTF-8', 'caf\\351', 'the path of the working folder is not UTF-8'],
    ['has a line break', 'a\\nb', 'the path of the folder has a line break'],
  ])('[memory.5.folder] %s is refused before anything is written', (_, name, said) => {
    for (const args of [
      'init',
      'issue add x',
      "harness-step --work-cmd 'true' --verify-cmd true",
    ]) {
      const { stdout, stderr } = inFolder(name, args)
      expect(stderr).toContain(said)
      expect(stdout).toBe('exit 2\n.git\n')
    }
    expect(readdirSync(project.folder)).toHaveLength(1)
  })

  test('[memory.5.folder] below a project has a line break is refused too', () => {
    project.done('init')
    const cwd = file('a\nb')
    mkdirSync(cwd)
    const { status, stderr } = premath(['issue', 'add', 'x'], { cwd })
    expect(stderr).toContain('the path of the folder has a line break')
    expect(status).toBe(2)
    expect(project.done('issue', 'list').items).toEqual([])
  })

  test('[memory.5.folder] is not UTF-8 is refused as an argument of init too', () => {
    expect(inFolder('plain', 'init "$(printf \'caf\\351\')"')).toMatchObject({
      stdout: 'exit 2\n.git\n',
    })
    expect(inFolder('plain', 'init "$(printf \'a\\nb\')"').stdout).toBe('exit 2\n.git\n')
  })

  test('[memory.5.folder] holds the replacement character itself is a project like any other', () => {
    expect(inFolder('\uFFFD', 'issue add x').stdout).toContain('exit 0')
  })
})

test('[memory.5.case] an id that differs from another only in case is refused', () => {
  project.done('issue', 'add', 'one', '--id', 'bd-x')
  expect(project.refused(['issue', 'add', 'two', '--id', 'BD-x'])).toEqual(['issue_exists', 1])
  expect(project.done('issue', 'add', 'two').issue.id).toMatch(/^bd-/)
})

test.each(['coordinator', 'Coordinator', 'close', 'close.bd-1', 'land', 'revert'])(
  '[memory.5.worker-name] no worker can be named %s, as premath names its own',
  worker => {
    project.done('issue', 'add', 'one')
    const commands = ['--work-cmd', 'true', '--verify-cmd', 'test -d .']
    for (const args of [
      ['harness-step', ...commands, '--worker', worker],
      ['harness-loop', 'worker', ...commands, '--worker', worker],
    ]) {
      const { status, stderr } = premath(args)
      expect(stderr).toContain(`"${worker}" is a name that premath uses itself`)
      expect(status).toBe(2)
    }
    expect(project.rowsById()['bd-1']).toMatchObject({ status: 'open' })
  },
)
