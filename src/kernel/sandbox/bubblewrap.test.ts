import { describe, expect, test } from 'vitest'
import { bubblewrapArguments, inOrder, isBelow, type Mount } from './bubblewrap.ts'

const plan = (mounts: readonly Mount[], network: 'on' | 'off' = 'on') =>
  bubblewrapArguments({ cwd: '/p/w', network, mounts }).join(' ')

describe('the arguments of bubblewrap', () => {
  test('take all rights away, and make the root read-only before anything else', () => {
    expect(plan([])).toBe(
      '--cap-drop ALL --die-with-parent --unshare-pid --unshare-ipc --unshare-uts --unshare-user-try --unshare-cgroup-try --new-session --ro-bind / / --dev /dev --proc /proc --chdir /p/w --',
    )
  })

  test('name each kind of mount', () => {
    const text = plan([
      { kind: 'readable', path: '/a' },
      { kind: 'writable', path: '/b', from: '/x' },
      { kind: 'empty', path: '/c' },
      { kind: 'blank', path: '/d' },
    ])
    expect(text).toContain('--ro-bind /a /a --bind /x /b --tmpfs /c --ro-bind /dev/null /d')
  })

  test('keep the session of a pseudo-terminal', () => {
    const args = bubblewrapArguments({ cwd: '/p', network: 'on', hasTerminal: true, mounts: [] })
    expect(args).not.toContain('--new-session')
  })

  test('take the network away only if they are asked to', () => {
    expect(plan([])).not.toContain('--unshare-net')
    expect(plan([], 'off')).toContain('--unshare-net')
  })
})

test('a folder is mounted before what lies in it, and the last mount of a path counts', () => {
  const mounts: readonly Mount[] = [
    { kind: 'readable', path: '/p/.premath/worktrees/w' },
    { kind: 'empty', path: '/p/.premath' },
    { kind: 'readable', path: '/p' },
    { kind: 'writable', path: '/p/.premath/worktrees/w' },
  ]
  expect(inOrder(mounts)).toEqual([mounts[2], mounts[1], mounts[3]])
})

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/ab', false],
  ['/', '/a', true],
  ['/a/b', '/a', false],
])('isBelow(%s, %s) is %s', (folder, path, is) => {
  expect(isBelow(folder, path)).toBe(is)
})
