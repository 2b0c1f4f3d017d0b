/** The files of a proof, from its folder or from a bundle: bounded, and none of them a link. */
import { Fault } from '../fault.ts'
import { isJsonObject, jsonIn } from '../kernel/json.ts'
import { isLinkFile } from '../kernel/work/proof-chain.ts'
import type { ProofText } from '../kernel/work/proof-check.ts'
import { chainFile } from '../kernel/work/proof-folder.ts'
import { readPlain } from '../store/plain-file.ts'
import { ProofBundle } from '../wire/proof-chain.ts'
import type { OpenWitnesses } from './open-witnesses.ts'
import { printJson } from './print-json.ts'

export interface ProofFiles {
  readonly texts: ReadonlyMap<string, ProofText>
  /** Names of what lies there and can be no part of a proof. */
  readonly strays: readonly string[]
}

/** A proof has a handful; more would be something else. */
const filesMax = 1_000

/** What a crash left half written: never named by a chain, nor tracked. */
const draft = /\.tmp\.\d+\.\d+$/

/** `undefined` where there is no folder. */
export async function proofFilesIn(
  folder: string,
  { files, disk, proofs }: OpenWitnesses,
): Promise<ProofFiles | undefined> {
  const entry = await disk.entry(folder)
  if (entry?.kind !== 'folder') return entry && { texts: new Map(), strays: [nameOf(folder)] }
  const names = (await files.list(folder)).map(({ name }) => name).filter(one => !draft.test(one))
  const own = names.filter(name => name === chainFile || isLinkFile(name)).slice(0, filesMax)
  const root = folder.startsWith(`${proofs.folder}/`) ? homeOf(proofs.folder) : folder
  const texts = new Map<string, ProofText>()
  for (const name of own) texts.set(name, await readPlain(`${folder}/${name}`, { root, disk }))
  return { texts, strays: names.filter(name => !texts.has(name)) }
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const homeOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

export const printBundle = (bundle: ProofBundle): string => printJson(bundle)

/** `undefined` where the text is no bundle; one that was changed faults. */
export function proofFilesOf(text: string, path: string): ProofFiles | undefined {
  const value = jsonIn(text)
  if (!isJsonObject(value) || value['bundleKind'] !== 'premath.proof.bundle.v1') return undefined
  const { data: bundle, error } = ProofBundle.safeParse(value)
  if (bundle === undefined || printBundle(bundle) !== text) {
    const why = error?.issues[0]?.message ?? 'it is not written as it was'
    throw new Fault('corrupt', `${path} is no whole bundle: ${why}`, {
      hint: 'premath witness export writes it again.',
      detail: { path },
    })
  }
  const texts = new Map(Object.entries(bundle.files).map(([name, one]) => [name, { text: one }]))
  const own = (name: string) => name === chainFile || isLinkFile(name)
  return { texts, strays: [...texts.keys()].filter(name => !own(name)) }
}
