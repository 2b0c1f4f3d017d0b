import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bound, evidence, found, judged, kit } from '../../../../test/a-turn.ts'
import { digestOf } from '../../canonical.ts'
import { normalPath, PathRoots } from './runtime.ts'

const policy = {
  executionBoundaryPolicy: {
    workdirRoots: ['/repo', '/tmp/x/'],
    editSurfaces: ['edit', '/repo/out'],
  },
  runtimeSandboxRef: 'box',
}
const shell = { workdir: '/repo', sandboxRef: 'box', commandDigest: 'd' }

function findingsOf(given: object, spec: object = policy): string[] {
  const { findings } = judged({
    evidence: evidence(['a'], {
      ...bound(spec),
      toolResults: [{ toolCallId: 'a', shell: { ...shell, ...given } }],
    }),
  })
  return findings.map(({ failureClass, message }) => {
    expect(failureClass).toBe('runtime.shell_boundary_violation')
    return message
  })
}

test.each([
  ['in a root', {}, []],
  ['below a root', { workdir: '/repo/a/b' }, []],
  ['below a root by a detour', { workdir: '/repo/./a/../b//c' }, []],
  [
    'beside a root of the same beginning',
    { workdir: '/repo-b' },
    ['the workdir /repo-b is outside /repo, /tmp/x/'],
  ],
  ['above a root', { workdir: '/' }, ['the workdir / is outside /repo, /tmp/x/']],
  [
    'out of a root by dots',
    { workdir: '/repo/../etc' },
    ['the workdir /etc is outside /repo, /tmp/x/'],
  ],
  ['out of a root by more dots than there are folders', { workdir: '/repo/../../../repo' }, []],
  ['nowhere absolute', { workdir: 'repo' }, ['the workdir repo is not absolute']],
  ['nowhere', { workdir: ' ' }, ['workdir is missing or blank']],
  [
    'in another sandbox',
    { sandboxRef: 'other' },
    ['ran in the sandbox other; the call spec binds box'],
  ],
  ['without a sandbox', { sandboxRef: null }, ['sandboxRef is missing or blank']],
  ['without saying what ran', { commandDigest: '' }, ['commandDigest is missing or blank']],
  ['with edits', { edits: ['f'] }, ['edited f, and this shell may not edit']],
  ['with an empty list of edits', { edits: [' '] }, []],
])('a shell %s', (_, given, messages) => {
  expect(findingsOf(given)).toEqual(messages)
})

test('a shell may edit if the policy lists exactly that', () => {
  const spec = (shellMayEdit: boolean) => ({ executionBoundaryPolicy: { shellMayEdit } })
  expect(findingsOf({ edits: ['f'] }, spec(true))).toEqual([])
  expect(findingsOf({ edits: ['f'] }, spec(false))).toEqual([
    'edited f, and this shell may not edit',
  ])
  expect(findingsOf({ edits: ['f'] }, {})).toEqual(['edited f, and this shell may not edit'])
})

test('an empty list of roots admits no folder, and a missing list every absolute one', () => {
  expect(findingsOf({}, { executionBoundaryPolicy: { workdirRoots: [] } })).toEqual([
    'the workdir /repo is outside every root',
  ])
  expect(findingsOf({ workdir: '/anywhere' }, {})).toEqual([])
  expect(findingsOf({ workdir: 'x' }, {})).toEqual(['the workdir x is not absolute'])
})

describe('a tool that is marked shell', () => {
  const toolPolicy = (isShell: boolean) => ({
    toolPolicy: { tools: [{ toolName: 'fs.read', shell: isShell }] },
  })

  test('must name its folder', () => {
    expect(found(evidence(['a'], bound(toolPolicy(true))))).toEqual([
      'runtime.shell_boundary_violation at evidence.toolResults[a].shell',
    ])
    expect(found(evidence(['a'], bound(toolPolicy(false))))).toEqual([])
  })
})

describe('an artifact', () => {
  const writing = (artifact: object, toolName = 'bash') =>
    found(
      evidence(['a'], {
        ...bound(policy),
        toolRequests: [{ toolCallId: 'a', toolName }],
        artifacts: [{ ref: 'r', path: '/else/f', digest: 'd', ...artifact }],
      }),
    )
  const refused = ['runtime.shell_boundary_violation at evidence.artifacts[r]']

  test('is written by a listed tool or under a listed surface', () => {
    expect(writing({})).toEqual(refused)
    expect(writing({}, 'edit')).toEqual([])
    expect(writing({ path: '/repo/out/f' })).toEqual([])
    expect(writing({ path: '/repo/out/../f' })).toEqual(refused)
    expect(writing({ path: '/repo/outer' })).toEqual(refused)
  })

  test('that names its call is judged by that call', () => {
    expect(writing({ toolCallId: 'a' }, 'edit')).toEqual([])
    expect(writing({ toolCallId: 'other' }, 'edit')).toEqual(refused)
  })
})

test.each([
  ['/a/b', '/a', true],
  ['/a', '/a/', true],
  ['/a', '/', true],
  ['/ab', '/a', false],
  ['/a', '/a/b', false],
  ['a/b', 'a', true],
  ['a/b', '/a', false],
  ['/a/b', 'a', false],
  ['/a/../b', '/a', false],
])('%s is under %s: %s', (path, root, answer) => {
  expect(new PathRoots([root]).cover(path)).toBe(answer)
})

test('a path is resolved without leaving the root', () => {
  expect(['/a/./b/../c//', '/../..', '/', 'a/../b', ''].map(normalPath)).toEqual([
    ...['/a/c', '/', '/', 'b', ''],
  ])
})

test.each([
  [['/repo'], '/repo', true],
  [['/repo'], '/repo/src/../x', true],
  [['/repo'], '/repo/../etc', false],
  [['/repo'], '/repo-b', false],
  [['/repo/'], '/repo/./a//b', true],
  [['/'], '/anything', true],
  [['src'], 'src/a.ts', true],
  [['src'], '../src/a.ts', false],
  [['src'], 'src/../../src/a.ts', false],
  [['.'], '../a', false],
  [['../shared'], '../shared/a', true],
  [['src'], '/src/a', false],
  [['/src'], 'src/a', false],
  [[], '/a', false],
])('%j covers %s: %s', (roots, path, covered) => {
  expect(new PathRoots(roots).cover(path)).toBe(covered)
})

test('normalizing a path twice changes nothing, and a path covers itself', () => {
  const paths = fc.array(fc.constantFrom('..', '.', '', 'a', 'b'), { minLength: 1 })
  fc.assert(
    fc.property(paths, fc.boolean(), (parts, rooted) => {
      const path = (rooted ? '/' : '') + parts.join('/')
      expect(normalPath(normalPath(path))).toBe(normalPath(path))
      expect(new PathRoots([path]).cover(path)).toBe(true)
    }),
  )
})

describe('a compaction', () => {
  const good = {
    policyDigest: 'p',
    carriedRefs: ['b', 'a', 'b'],
    droppedToolCallIds: ['a'],
    stateDigest: digestOf(['a', 'b'], kit.sha256),
  }

  function findingsOf(compaction: object | null, more: object = {}): string[] {
    const { findings } = judged({
      evidence: evidence(['a', 'b'], {
        ...bound({ compactionPolicyDigest: 'p' }),
        compaction,
        ...more,
      }),
    })
    return findings
      .filter(({ failureClass }) => failureClass === 'runtime.compaction_state_invalid')
      .map(({ at, message }) => `${at.replace('evidence.compaction.', '')} ${message}`)
  }

  const { policyDigest: _, ...unbound } = good
  const { stateDigest: __, ...unsealed } = good
  const empty = digestOf([], kit.sha256)

  test.each([
    ['that is sound', good, []],
    ['that is absent', null, []],
    ['under no policy', unbound, ['policyDigest is not the compaction policy the call spec binds']],
    [
      'under another policy',
      { ...good, policyDigest: 'q' },
      ['policyDigest is not the compaction policy the call spec binds'],
    ],
    [
      'without its state',
      unsealed,
      [`stateDigest is missing; the carried refs come to ${good.stateDigest}`],
    ],
    [
      'of another state',
      { ...good, stateDigest: 'x' },
      [`stateDigest is x; the carried refs come to ${good.stateDigest}`],
    ],
    ['that carries nothing', { ...good, carriedRefs: [], stateDigest: empty }, []],
    [
      'that drops a call nobody knows',
      { ...good, droppedToolCallIds: ['z'] },
      ['droppedToolCallIds drops call z, which has no result'],
    ],
  ])('%s', (_name, compaction, messages) => {
    expect(findingsOf(compaction)).toEqual(messages)
  })

  test('drops only calls that have a result and a use', () => {
    const toolUse = [{ toolCallId: 'b', disposition: 'observed' }]
    expect(findingsOf(good, { toolUse })).toEqual([
      'droppedToolCallIds drops call a, which has no use',
    ])
  })

  test('is refused when the call spec binds no compaction policy', () => {
    expect(findingsOf(good, bound({}))).toEqual([
      'policyDigest is not the compaction policy the call spec binds',
    ])
  })
})
