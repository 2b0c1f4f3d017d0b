import { describe, expect, test } from 'vitest'
import type { MutationMode } from '../../wire/policy/mutation-policy.ts'
import { type GrantRequest, OperatorGrant, stricter } from './operator-grant.ts'

const byHand: GrantRequest = { operator: ' ada ', surface: 'cli', mode: 'open' }
const grant = (request: Partial<GrantRequest> = {}) =>
  OperatorGrant.grant({ ...byHand, ...request })

describe('a person may change memory', () => {
  test.each([
    ['on a surface where the policy is open', {}, 'open', undefined],
    ['and may say why', { reason: ' tidy up ' }, 'open', 'tidy up'],
    [
      'at a terminal, where operators may',
      { mode: 'operator', isAtTerminal: true },
      'operator',
      undefined,
    ],
    [
      'away from one with a reason, as an override',
      { mode: 'operator', reason: 'nightly' },
      'human-override',
      'nightly',
    ],
    [
      'under an override, with a reason',
      { mode: 'human-override', reason: 'stuck lease' },
      'human-override',
      'stuck lease',
    ],
  ] as const)('%s', (_, request, mode, reason) => {
    const granted = grant(request)
    expect(OperatorGrant.isIssued(granted)).toBe(true)
    expect({ ...granted }).toEqual({
      granted: true,
      operator: 'ada',
      surface: 'cli',
      mode,
      reason,
    })
    expect(Object.isFrozen(granted)).toBe(true)
  })
})

describe('a person may not', () => {
  test.each([
    ['without a name', { operator: '\u0085 ' }, 'no operator is named'],
    [
      'where changes come from instructions',
      { mode: 'instruction-linked', reason: 'please' },
      'from the command line, issue memory takes changes only under an accepted instruction',
    ],
    [
      'under an override without a reason',
      { mode: 'human-override', reason: ' ' },
      'an override needs a reason',
    ],
    [
      'away from a terminal without a reason, where operators may',
      { mode: 'operator', isAtTerminal: false, reason: ' ' },
      expect.stringMatching(
        'only from a person at a terminal, and standard input is not a terminal',
      ),
    ],
    [
      'without a word on where they are, there',
      { mode: 'operator' },
      expect.stringMatching(
        'only from a person at a terminal, and standard input is not a terminal',
      ),
    ],
    [
      'in a mode nobody knows',
      { mode: 'opne' as MutationMode },
      'from the command line, issue memory takes changes only under an accepted instruction',
    ],
  ] as const)('%s', (_, request, message) => {
    const refusal = grant(request)
    expect(refusal).toMatchObject({
      granted: false,
      message,
      remedy: expect.stringMatching(/\w\.$/),
    })
    expect(OperatorGrant.isIssued(refusal)).toBe(false)
  })
})

test('the stricter of two modes allows fewer callers', () => {
  const modes = ['open', 'operator', 'human-override', 'instruction-linked'] as const
  for (const [at, one] of modes.entries()) {
    for (const [behind, other] of modes.entries()) {
      expect(stricter(one, other)).toBe(modes[Math.max(at, behind)])
    }
  }
})

describe('only grant makes a grant', () => {
  const granted = grant()
  const lookAlikes = {
    'a literal of the same fields': { ...granted },
    'an object of the same kind': Object.create(OperatorGrant.prototype) as object,
    'something that stands in for one': new Proxy(granted, {}),
  }

  test.each(Object.entries(lookAlikes))('%s is none', (_, lookAlike) => {
    expect(OperatorGrant.isIssued(lookAlike)).toBe(false)
  })

  test('the constructor is private', () => {
    expect(() => Reflect.construct(OperatorGrant, ['ada', 'cli', 'open', undefined])).toThrow(
      'only OperatorGrant.grant makes an OperatorGrant',
    )
    const forged = Symbol('OperatorGrant.grant')
    // @ts-expect-error: the constructor is private.
    expect(() => new OperatorGrant(forged, 'ada', 'cli', 'open', '')).toThrow()
  })

  test('the compiler refuses a literal with the same members', () => {
    const takesGrant = (given: OperatorGrant) => OperatorGrant.isIssued(given)
    const literal = { granted: true, operator: 'ada', mode: 'open', reason: undefined } as const
    // @ts-expect-error: an object literal is no grant.
    expect(takesGrant(literal)).toBe(false)
  })
})
