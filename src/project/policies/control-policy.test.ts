import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { policyDigestOf } from '../../kernel/harness/retry/control-policy.ts'
import { decompositionPolicyKind } from '../../kernel/harness/run/decomposition-policy.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { nodeWorld } from '../../world/node-world.ts'
import { openContext } from '../context.ts'
import { openProject } from '../open.ts'
import { openDecompositionPolicy } from './control-policy.ts'

const { path } = decompositionPolicyKind
const shipped = readFileSync(path, 'utf8')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function policyOf(policyId: string): string {
  const document: JsonObject = { ...JSON.parse(shipped), policyId }
  return JSON.stringify({ ...document, policyDigest: policyDigestOf(document, sha256) })
}

async function open(files: Readonly<Record<string, string | Uint8Array>>, given?: string) {
  const all = { [`/package/${path}`]: shipped, '/p/.premath/issues.jsonl': '', ...files }
  const context = openContext(simWorld({ files: all, cwd: '/p/sub' }))
  return await openDecompositionPolicy(await openProject(context), given)
}

test('the named policy counts, then the policy of the project, then the shipped one', async () => {
  const own = { [`/p/${path}`]: policyOf('own') }
  const named = { ...own, '/p/sub/mine.json': policyOf('named') }
  expect((await open({})).policyId).toBe('premath.harness.decomposition.v1')
  expect((await open(own)).policyId).toBe('own')
  expect((await open(named, 'mine.json')).policyId).toBe('named')
  expect((await open(named, '/p/sub/mine.json')).policyId).toBe('named')
})

describe('an unreadable policy is an error, and the next one is not used', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['decomposition_policy_invalid_json', '{', 'invalid_input'],
    ['decomposition_policy_invalid_json', new Uint8Array([0xff]), 'invalid_input'],
    ['decomposition_policy_invalid_shape', '{}', 'invalid_input'],
    [
      'decomposition_policy_invalid_digest',
      policyOf('x').replace('"maxFanOut":16', '"maxFanOut":99'),
      'corrupt',
    ],
  ])('%s', async (failureClass, content, code) => {
    await expect(open({ [`/p/${path}`]: content })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(`the decomposition policy /p/${path} is not valid`),
      detail: { failureClass, path: `/p/${path}` },
    })
  })

  test('decomposition_policy_missing', async () => {
    await expect(open({}, 'gone.json')).rejects.toMatchObject({
      code: 'invalid_input',
      detail: { failureClass: 'decomposition_policy_missing', path: 'gone.json' },
    })
  })

  test('decomposition_policy_io_error', async () => {
    const project = await openProject(openContext(nodeWorld()))
    const folder = openDecompositionPolicy(project, 'policies')
    await expect(folder).rejects.toMatchObject({
      code: 'unavailable',
      detail: { failureClass: 'decomposition_policy_io_error', path: 'policies' },
    })
  })
})
