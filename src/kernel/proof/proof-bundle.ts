/** A bundle: the proof of one close in one document, with the text of every file that it rests on. */
import { ProofBundle, type ProofChain } from '../../wire/proof/proof-chain.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import { isJsonObject, jsonIn } from '../json.ts'
import { printJson } from '../text/print-json.ts'

export const printBundle = (
  { issueId, chainDigest }: Pick<ProofChain, 'issueId' | 'chainDigest'>,
  files: Iterable<readonly [name: string, text: string]>,
): string =>
  printJson({
    schema: 1,
    bundleKind: 'premath.proof.bundle.v1',
    issueId,
    chainDigest,
    files: Object.fromEntries(files),
  } satisfies ProofBundle)

/** The bundle in the text, or why it was changed; `undefined` where the text is no bundle. */
export function bundleIn(text: string): ProofBundle | { readonly why: string } | undefined {
  const value = jsonIn(text)
  if (!isJsonObject(value) || value['bundleKind'] !== 'premath.proof.bundle.v1') return undefined
  const bundle = shaped(ProofBundle, value)
  if (bundle instanceof Flaw) return { why: `it is not a valid bundle: ${bundle}` }
  const isOwn = printBundle(bundle, Object.entries(bundle.files)) === text
  return isOwn ? bundle : { why: 'it is not a valid bundle: its text is not the written one' }
}
