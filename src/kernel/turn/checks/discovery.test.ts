import { describe, expect, test } from 'vitest'
import { bound, evidence, judged, kit } from '../../../../test/a-turn.ts'
import { digestOf } from '../../canonical.ts'
import { catalogDigest } from './tool-policy.ts'

const tools = [{ toolName: 'lazy', deferred: true }, { toolName: 'eager' }]
const query = 'read a file '
const resultSetDigest = digestOf({ query, resultToolNames: ['eager', 'lazy'] }, kit.sha256)
const search = {
  ...{ searchRef: 's', query, resultToolNames: ['lazy', 'eager', 'lazy'], resultSetDigest },
}

function findingsOf(
  request: object,
  searches: readonly object[] | null,
  spec: object = {},
): string[] {
  const { findings } = judged({
    evidence: evidence(['a'], {
      ...bound({ toolPolicy: { tools }, ...spec }),
      toolRequests: [{ toolCallId: 'a', toolName: 'lazy', ...request }],
      ...(searches && { searches }),
    }),
  })
  return findings.map(({ failureClass, message }) => `${failureClass}: ${message}`)
}

describe('a tool that is loaded on demand', () => {
  test('must be found by a search in the turn', () => {
    expect(findingsOf({ searchRef: 's' }, [search])).toEqual([])
    expect(findingsOf({ searchRef: 's', searchRefDigest: resultSetDigest }, [search])).toEqual([])
  })

  test.each([
    ['names no search', {}, [search], 'the request names no search that found it'],
    ['names a search that is not there', { searchRef: 't' }, [search], 'no search row is called t'],
    ['shows no search', { searchRef: 's' }, null, 'no search row is called s'],
    ['has only a digest', { searchRefDigest: resultSetDigest }, [search], 'names no search'],
  ])('and %s', (_, request, searches, message) => {
    expect(findingsOf(request, searches)).toEqual([
      expect.stringMatching(new RegExp(`^tool.discovery_unresolved: .*${message}`)),
    ])
  })

  test('needs no search if it is not deferred', () => {
    expect(findingsOf({ toolName: 'eager' }, null)).toEqual([])
  })
})

describe('a search that a request names', () => {
  const other = { ...search, resultToolNames: ['eager'] }
  const otherDigest = digestOf({ query, resultToolNames: ['eager'] }, kit.sha256)

  test.each([
    [
      'did not find the tool',
      {},
      { ...other, resultSetDigest: otherDigest },
      ['the search s did not find lazy'],
    ],
    [
      'does not come to its digest',
      {},
      { ...search, query: 'other' },
      [expect.stringContaining('the search says its result set is')],
    ],
    [
      'does not come to the digest of the request',
      { searchRefDigest: 'x' },
      search,
      [`searchRefDigest is x; the search comes to ${resultSetDigest}`],
    ],
  ])('%s', (_, request, row, messages) => {
    const mismatch = findingsOf({ searchRef: 's', ...request }, [row])
    expect(mismatch.map(message => message.replace('tool.discovery_mismatch: ', ''))).toEqual(
      messages,
    )
  })

  test('ran over the bound catalog', () => {
    const toolCatalogDigest = catalogDigest(tools, 'toolCatalogDigest', kit)
    const over = (catalogDigest: string) => [{ ...search, catalogDigest }]
    expect(findingsOf({ searchRef: 's' }, over(toolCatalogDigest), { toolCatalogDigest })).toEqual(
      [],
    )
    const stray = [
      'tool.discovery_mismatch: the search ran over another catalog than the one the call spec binds',
    ]
    expect(findingsOf({ searchRef: 's' }, over('x'), { toolCatalogDigest })).toEqual(stray)
    expect(findingsOf({ searchRef: 's' }, [search], { toolCatalogDigest })).toEqual(stray)
    expect(findingsOf({ searchRef: 's' }, over('x'))).toEqual([])
  })
})

test.each(['toolCatalogDigest', 'deferPolicyDigest'] as const)(
  'a bound %s must recompute',
  field => {
    const right = catalogDigest(tools, field, kit)
    const rows = [{ ...search, catalogDigest: right }]
    expect(findingsOf({ searchRef: 's' }, rows, { [field]: right })).toEqual([])
    expect(findingsOf({ toolName: 'eager' }, null, { [field]: 'x' })).toEqual([
      `tool.discovery_mismatch: bound is x, but the tool policy comes to ${right}`,
    ])
  },
)
