/** Reads the files of a proof, from its folder or from a bundle: up to a size, and no links. */
import { Fault } from '../../fault.ts'
import { Flaw, shaped } from '../../kernel/artifact/flaw.ts'
import { byCodePoint } from '../../kernel/canonical.ts'
import { isJsonObject, type JsonObject, jsonIn } from '../../kernel/json.ts'
import { closeOf, linkIn, linksIn } from '../../kernel/proof/proof-chain.ts'
import type { ProofText } from '../../kernel/proof/proof-check.ts'
import { chainFileOf, isChainFile, isProofDraft } from '../../kernel/proof/proof-folder.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { readPlain } from '../../store/plain-file.ts'
import { ProofBundle } from '../../wire/proof/proof-chain.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'

export interface ProofFiles {
  /** The name of the chain in force; an empty string where there is none. */
  readonly chain: string
  /** That chain, and the copies it names that exist. */
  readonly texts: ReadonlyMap<string, ProofText>
  /** Files in the folder that no chain names. */
  readonly strays: readonly string[]
  /** The chains of other closes. */
  readonly others: readonly string[]
}

/** An issue is closed a few times; a folder with more chains holds something else. */
const chainsMax = 1_000

/** A proof is kept in memory as a whole, since its links are compared with each other. */
const proofCharsMax = 256 * 1024 * 1024
const tooLarge = { why: 'the proof is larger than premath reads' }

/** A folder of proofs: one for each close of its issue. */
interface ProofFolder {
  /** Names of all chains, the one in force first. */
  readonly chains: readonly string[]
  readonly strays: ProofFiles['strays']
  /** The proof that a chain describes. */
  filesOf(chain: string): Promise<ProofFiles>
}

/** `undefined` where there is no folder. */
export async function proofFilesIn(
  path: string,
  open: OpenWitnesses,
  asked = '',
): Promise<ProofFiles | undefined> {
  const folder = await proofFolderAt(path, open)
  const [counting = ''] = folder?.chains ?? []
  return await folder?.filesOf(folder.chains.includes(asked) ? asked : counting)
}

export async function proofFolderAt(
  path: string,
  open: OpenWitnesses,
): Promise<ProofFolder | undefined> {
  const { files, disk, proofs } = open
  const entry = await disk.entry(path)
  if (entry === undefined) return undefined
  if (entry.kind !== 'folder') {
    const strays = [nameOf(path)]
    return { chains: [], strays, filesOf: async () => ({ ...nothing, strays }) }
  }
  const names = (await files.list(path)).map(({ name }) => name).filter(one => !isProofDraft(one))
  const root = path.startsWith(`${proofs.folder}/`) ? homeOf(proofs.folder) : path
  const read = (name: string) => readPlain(`${path}/${name}`, { root, disk })
  const stored: StoredChain[] = []
  for (const name of names.filter(isChainFile).slice(0, chainsMax)) {
    stored.push(storedChain(name, await read(name)))
  }
  const chains = chainInForceFirst(stored, open)
  const known = new Set(stored.flatMap(({ name, links }) => [name, ...links]))
  const strays = names.filter(name => !known.has(name))
  return {
    chains,
    strays,
    async filesOf(chain) {
      const own = stored.find(({ name }) => name === chain)
      const texts = new Map<string, ProofText>(own && [[own.name, own.text]])
      let chars = 0
      for (const name of own?.links ?? []) {
        if (!linkIn(name) || !names.includes(name)) continue
        const text = chars > proofCharsMax ? tooLarge : await read(name)
        chars += 'text' in text ? text.text.length : 0
        texts.set(name, text)
      }
      return { chain, texts, strays, others: chains.filter(name => name !== chain) }
    },
  }
}

const nothing: ProofFiles = { chain: '', texts: new Map(), strays: [], others: [] }
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const homeOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

interface StoredChain {
  readonly name: string
  readonly text: ProofText
  readonly links: readonly string[]
  readonly issueId: string
  readonly closedAt: string
}

function storedChain(name: string, text: ProofText): StoredChain {
  const value = 'text' in text ? jsonIn(text.text) : undefined
  const chain: JsonObject = isJsonObject(value) ? value : {}
  const { issueId, closedAt } = chain
  return {
    name,
    text,
    links: linksIn(chain),
    issueId: String(issueId),
    closedAt: String(closedAt),
  }
}

/** The chain that the row names, then the others from the newest to the oldest. */
function chainInForceFirst(
  chains: readonly StoredChain[],
  { memory }: Pick<OpenWitnesses, 'memory'>,
): readonly string[] {
  const isNamed = ({ name, issueId }: StoredChain) => {
    const issue = memory?.get(issueId)
    const digest = issue && closeOf(issue)?.['chain']
    return typeof digest === 'string' && name === chainFileOf(digest)
  }
  const byTime = chains.toSorted(
    (a, b) => byCodePoint(b.closedAt, a.closedAt) || byCodePoint(b.name, a.name),
  )
  return [...byTime.filter(isNamed), ...byTime.filter(one => !isNamed(one))].map(({ name }) => name)
}

export const printBundle = (bundle: ProofBundle): string => printJson(bundle)

/** `undefined` where the text is not a bundle. A changed bundle faults. */
export function proofFilesOf(text: string, path: string): ProofFiles | undefined {
  const value = jsonIn(text)
  if (!isJsonObject(value) || value['bundleKind'] !== 'premath.proof.bundle.v1') return undefined
  const bundle = shaped(ProofBundle, value)
  if (bundle instanceof Flaw || printBundle(bundle) !== text) {
    const why = bundle instanceof Flaw ? bundle : 'its text is not the exported one'
    throw new Fault('corrupt', `${path} is not a valid bundle: ${why}`, {
      hint: 'premath witness export writes it again.',
      detail: { path },
    })
  }
  const chain = chainFileOf(bundle.chainDigest)
  const texts = new Map(Object.entries(bundle.files).map(([name, one]) => [name, { text: one }]))
  return { chain, texts, strays: [], others: [] }
}
