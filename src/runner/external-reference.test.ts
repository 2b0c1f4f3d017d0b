import { expect, test } from 'vitest'
import { externalCapability } from '../kernel/spec/external-ref.ts'
import { type ExternalResolver, resolveExternal } from './external-reference.ts'

const asked: string[] = []
const vault: ExternalResolver = {
  provider: 'vault',
  async resolve(id) {
    asked.push(id)
    return id === 'a' ? 'the text' : undefined
  },
}
const grounds = {
  policy: { mode: 'allow', providers: ['vault'] },
  required: [externalCapability],
  offered: new Set([externalCapability]),
} as const

test('a resolver returns the text of an allowed reference', async () => {
  const read = (id: string) => resolveExternal({ provider: 'vault', id }, null, grounds, [vault])
  expect(await read('a')).toEqual({ text: 'the text' })
  expect(await read('b')).toEqual({ refused: 'is unknown to vault' })
})

test('the resolver is never called for a denied reference', async () => {
  asked.length = 0
  const denied = { ...grounds, offered: new Set<string>() }
  const answer = await resolveExternal({ provider: 'vault', id: 'a' }, null, denied, [vault])
  expect([answer, asked]).toEqual([{ refused: expect.stringContaining('is denied') }, []])
})
