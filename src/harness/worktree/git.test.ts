import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aRepository, describeWithGit, gitEnv } from '../../../test/a-repository.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { SimProcesses, type SimScript } from '../../testing/sim-processes.ts'
import { askGit, git } from './git.ts'
import { noHooks, noTransport, plainEnvironment, plainSettings } from './git-settings.ts'

const folder = '/project'

function simulated(script: SimScript) {
  const disk = new SimDisk({ files: { [`${folder}/a`]: '' } })
  const processes = new SimProcesses({ disk, script: () => script })
  const env = { PATH: '/bin', GIT_DIR: '/hook/.git', GIT_CONFIG_COUNT: '0' }
  return { root: folder, disk, processes, env }
}

const refused = (script: SimScript) => git(simulated(script), folder, ['worktree', 'list', '-z'])

test.each<[string, SimScript, string]>([
  ['its last line', { exitCode: 128, stderr: 'one\n\nfatal: two\n' }, 'failed in /project: two'],
  [
    'not the advice that follows',
    { exitCode: 128, stderr: 'fatal: why\nhint: try\nhint: this\n' },
    'failed in /project: why',
  ],
  ['that it printed nothing', { exitCode: 1 }, 'failed in /project: git printed no reason'],
  ['that it took too long', { takesMs: 60_001 }, 'git worktree list timed out'],
  ['that it was killed', { signal: 'SIGKILL' }, 'git worktree list was ended by SIGKILL'],
  ['that it says too much', { stdout: 'x'.repeat(1024 * 1024 + 1) }, 'more than premath reads'],
])('a failing git is reported with %s', async (_, script, message) => {
  await expect(refused(script)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/\.$/),
  })
})

test.each([
  ['ENOENT', /^Install git/],
  ['EMFILE', /ulimit -n/],
  ['EAGAIN', /ulimit -u/],
  ['EXDEV', /^Fix the cause/],
])('a git that cannot start because of %s is reported with a remedy', async (code, hint) => {
  await expect(refused({ spawnFailed: { code, reason: 'no' } })).rejects.toMatchObject({
    code: 'unavailable',
    hint: expect.stringMatching(hint),
  })
})

test('git runs without a shell, with a timeout, in the repository of its folder only', async () => {
  const place = simulated({ stdout: 'all of it' })
  expect(await git(place, folder, ['rev-parse', 'HEAD'])).toBe('all of it')
  expect(place.processes.started).toMatchObject([
    {
      command: [
        'git',
        ...[...plainSettings, noHooks].flatMap(setting => ['-c', setting]),
        ...['rev-parse', 'HEAD'],
      ],
      cwd: folder,
      timeoutMs: 60_000,
    },
  ])
  expect(place.processes.started[0]?.env).toEqual({
    PATH: '/bin',
    GIT_CONFIG_COUNT: '0',
    ...plainEnvironment,
    ...noTransport,
  })
})

describeWithGit('the real git', () => {
  const repository = aRepository()

  test('that cannot be found is reported with a remedy', async () => {
    const env = { ...gitEnv, PATH: repository().folder }
    await expect(
      git(repository().place({ env }), repository().root, ['rev-parse']),
    ).rejects.toMatchObject({
      code: 'unavailable',
      message: 'git rev-parse could not be started: there is no program git',
      hint: expect.stringContaining('Install git'),
    })
  })

  test('finds its repository by the folder, whatever the variables of a hook say', async () => {
    const { root, place } = repository()
    const other = repository().beside('other')
    repository().git('init', '--quiet', '--bare', other)
    const env = {
      ...gitEnv,
      GIT_COMMON_DIR: other,
      GIT_DIR: other,
      GIT_INDEX_FILE: `${other}/index`,
      GIT_OBJECT_DIRECTORY: `${other}/objects`,
      GIT_PREFIX: 'sub/',
      GIT_WORK_TREE: repository().folder,
    }
    writeFileSync(`${root}/new`, '')
    const top = await git(place({ env }), root, ['rev-parse', '--show-toplevel'])
    expect(top).toBe(`${root}\n`)
    expect(await git(place({ env }), root, ['status', '--porcelain'])).toBe('?? new\n')
  })

  test('removes no new file that git status hides', async () => {
    const { root, place } = repository()
    const path = repository().beside('linked')
    repository().git('config', 'status.showUntrackedFiles', 'no')
    repository().git('worktree', 'add', '--quiet', '--detach', path)
    writeFileSync(`${path}/new`, '')
    await expect(git(place(), root, ['worktree', 'remove', path])).rejects.toMatchObject({
      message: expect.stringContaining('contains modified or untracked files'),
    })
  })

  test('returns its exit code when the caller asks for it', async () => {
    const { root, place } = repository()
    const asked = ['show-ref', '--verify', 'refs/heads/none']
    expect(await askGit(place(), root, asked)).toEqual({
      exitCode: 128,
      stdout: '',
      isWhole: true,
      complaint: "'refs/heads/none' - not a valid ref",
    })
    await expect(git(place(), repository().folder, ['status'])).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is not in a git repository'),
      hint: expect.stringContaining('git init'),
    })
  })
})
