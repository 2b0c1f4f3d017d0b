import { describe, expect, test } from 'vitest'
import { bound, evidence, found, promised } from '../../../../test/a-turn.ts'

const roles = {
  orchestrator: { read: ['src', 'ctx://plan', 'log/', 'case:'], write: ['out'] },
  specialist: { read: ['src/kernel'] },
}

function findingsOf(given: object, document: object = { roles }): string[] {
  const { spec, policies } = promised({ contextScopeDigest: document })
  return found(
    evidence([], { ...bound({ ...spec, orchestrationRole: 'orchestrator' }), ...given }),
    {
      policies,
    },
  )
}

describe('an access', () => {
  const access = (ref: string, mode = 'read', role = 'orchestrator') =>
    findingsOf({ contextAccess: [{ role, ref, mode }] }).length === 0

  test.each([
    ['src', true],
    ['src/a', true],
    ['srcs', false],
    ['sr', false],
    ['log/a', true],
    ['log', false],
    ['case:7', true],
    ['ctx://plan/1', true],
    ['ctx://plans', false],
    ['src/../etc', false],
    ['out/a', false],
  ])('of %s may be read: %s', (ref, answer) => {
    expect(access(ref)).toBe(answer)
  })

  test('must have the mode it is listed under', () => {
    expect(access('out/a', 'write')).toBe(true)
    expect(access('src', 'write')).toBe(false)
  })

  test('must have the role of the turn', () => {
    expect(access('src/kernel', 'read', 'specialist')).toBe(false)
    expect(findingsOf({ contextAccess: [{ role: 'x', ref: 'src', mode: 'read' }] })).toEqual([
      'context.scope_violation at evidence.contextAccess[src]',
    ])
  })

  test('of a role that the document does not name is out of scope', () => {
    const document = { roles: { specialist: roles.specialist } }
    const contextAccess = [{ role: 'orchestrator', ref: 'src', mode: 'read' }]
    expect(findingsOf({ contextAccess }, document)).toEqual([
      'context.scope_violation at evidence.contextAccess[src]',
    ])
  })
})

describe('an artifact', () => {
  const artifact = (ref: string, path: string, role?: string) =>
    findingsOf({ artifacts: [{ ref, path, digest: 'd', ...(role && { role }) }] })

  test('must be written by an allowed role, by path or by a ref with a scheme', () => {
    expect(artifact('out/a', '/x', 'orchestrator')).toEqual([
      'context.scope_violation at evidence.artifacts[out/a]',
    ])
    expect(artifact('r', 'out/a', 'orchestrator')).toEqual([])
    expect(artifact('r', 'src/a', 'orchestrator')).toEqual([
      'context.scope_violation at evidence.artifacts[r]',
    ])
    expect(artifact('r', 'src/kernel/a', 'specialist')).toEqual([
      'context.scope_violation at evidence.artifacts[r]',
    ])
  })

  test('without a role is out of scope', () => {
    expect(artifact('r', 'out/a')).toEqual(['context.scope_violation at evidence.artifacts[r]'])
  })
})

test.each([
  ['no roles', {}, 'policies.contextScopeDigest.roles'],
  ['roles as a list', { roles: [] }, 'policies.contextScopeDigest.roles'],
  ['a role as text', { roles: { a: 'all' } }, 'policies.contextScopeDigest.roles.a'],
  [
    'prefixes as text',
    { roles: { a: { read: 'src' } } },
    'policies.contextScopeDigest.roles.a.read',
  ],
])('a document with %s is refused', (_, document, at) => {
  expect(findingsOf({}, document)).toEqual([`context.scope_violation at ${at}`])
})

test('without a document every access is in scope', () => {
  const contextAccess = [{ role: 'x', ref: 'anything', mode: 'write' }]
  expect(found(evidence([], { contextAccess }))).toEqual([])
})
