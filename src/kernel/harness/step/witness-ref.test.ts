import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { prettyJson } from '../../canonical.ts'
import { witnessDigest, witnessKinds } from '../../proof/witness.ts'
import { relocationOf } from '../relocation/relocation.ts'
import { checkedRef, fileOfRef, relocationRef, stepFileRef } from './witness-ref.ts'

const sha256 = (text: string) => hash('sha256', text)
const hex = sha256('x')

test('a file of a step is still the same byte for byte', () => {
  const named = fileOfRef(stepFileRef('w.bd-1.1.1', 'record.json', sha256('{}\n')))
  expect(named?.path).toBe('artifacts/steps/w.bd-1.1.1/record.json')
  expect(['{}\n', '{}'].map(text => named?.isStill(text, sha256))).toEqual([true, false])
})

test('a handed-over document is matched by its content', () => {
  const { digest, text } = relocationOf(
    {
      destination: 'location://far',
      issueId: 'bd-1',
      issueDigest: `sha256:${hex}`,
      stepId: 'w.bd-1.1.1',
      fence: 1,
      lineageRefs: [],
      treeDigest: `tree1_${hex}`,
      mutationPolicyDigest: `sha256:${hex}`,
      turnDigests: [],
    },
    sha256,
  )
  const named = fileOfRef(relocationRef(digest))
  expect(named?.path).toBe(`artifacts/relocations/${digest}.json`)
  const edited = text.replace('bd-1', 'bd-2')
  const texts = [text, JSON.stringify(JSON.parse(text)), edited, '']
  expect(texts.map(one => named?.isStill(one, sha256))).toEqual([true, true, false, false])
})

test('a returned witness is opened like any other', () => {
  const witness = { witnessKind: witnessKinds.relocation, result: 'accepted' }
  const digest = witnessDigest(witness, sha256)
  const named = fileOfRef(checkedRef(digest))
  expect(named?.path).toBe(`artifacts/ciwitness/relocation/${digest}.json`)
  const texts = [witness, { ...witness, result: 'rejected' }].map(prettyJson)
  expect(texts.map(text => named?.isStill(text, sha256))).toEqual([true, false])
})

test.each([
  'lease://handoff/bd-1/released/abc',
  `witness://steps/../x.json/${hex}`,
  `witness://steps/a/.x/${hex}`,
  `witness://steps/a/b/c/${hex}`,
  `witness://relocations/../${hex}`,
  `witness://ciwitness/other/${hex}`,
  `witness://x/ciwitness/join/${hex}`,
  'witness://relocations/abc',
])('%s names no file of premath', ref => {
  expect(fileOfRef(ref)).toBeUndefined()
})
