/** Reads a proof from its folder or from an exported bundle: up to a size, and no links. */
import { Fault } from '../../fault.ts'
import { byCodePoint } from '../../kernel/canonical.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../kernel/json.ts'
import { bundleIn } from '../../kernel/proof/proof-bundle.ts'
import { linkIn, linksIn } from '../../kernel/proof/proof-chain.ts'
import type { ProofText } from '../../kernel/proof/proof-check.ts'
import {
  chainFileOf,
  chainOfBundle,
  isProofDraft,
  isProofFile,
  proofFilesFor,
  signaturesBeside,
  signaturesFileOf,
} from '../../kernel/proof/proof-folder.ts'
import { type PlainText, readPlain } from '../../store/plain-file.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'

export interface ProofFiles {
  /** The name of its chain; an empty string where there is none. */
  readonly chain: string
  /** That chain, and the copies it names that exist. */
  readonly texts: ReadonlyMap<string, ProofText>
  /** Files in the folder that no chain names. */
  readonly strays: readonly string[]
  /** Names of the files of other closes. */
  readonly others: readonly string[]
  /** Envelopes about the chain and its copies, one per line. */
  readonly signatures: string
}

/** An issue is closed a few times; a folder with more files holds something else. */
const closesMax = 1_000

/** A proof is kept in memory as a whole, since its links are compared with each other. */
export const proofCharsMax = 256 * 1024 * 1024
const tooLarge = { why: 'the proof is larger than premath reads' }

/** A folder of proofs: one for each close of its issue. */
interface ProofFolder {
  /** Names of the files that a proof begins with, the one in force first. */
  readonly closes: readonly string[]
  readonly strays: ProofFiles['strays']
  /** The proof that begins with the file. */
  filesOf(close: string): Promise<ProofFiles>
}

/** `undefined` where there is no folder. */
export async function proofFilesIn(
  path: string,
  open: OpenWitnesses,
  asked = '',
): Promise<ProofFiles | undefined> {
  const folder = await proofFolderAt(path, open)
  const [counting = ''] = folder?.closes ?? []
  return await folder?.filesOf(folder.closes.includes(asked) ? asked : counting)
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
    return { closes: [], strays, filesOf: async () => ({ ...nothing, strays }) }
  }
  const names = (await files.list(path)).map(({ name }) => name).filter(one => !isProofDraft(one))
  const root = path.startsWith(`${proofs.folder}/`) ? homeOf(proofs.folder) : path
  const read = (name: string, bytesMax?: number) =>
    readPlain(`${path}/${name}`, { root, disk }, bytesMax)
  const stored: StoredClose[] = []
  for (const file of names.filter(isProofFile).slice(0, closesMax)) {
    // A witness has its own limit, and a bundle holds several.
    const chain = chainOfBundle(file)
    stored.push(
      chain
        ? inBundle(file, chain, await read(file, proofCharsMax))
        : inFiles(file, await read(file)),
    )
  }
  const closes = closeInForceFirst(stored, open)
  const known = new Set(
    stored.flatMap(({ file, beside }) => [file, signaturesBeside(file), ...beside]),
  )
  const strays = names.filter(name => !known.has(name))
  return {
    closes,
    strays,
    async filesOf(close) {
      const own = stored.find(({ file }) => file === close)
      const texts = new Map(own?.texts)
      let chars = 0
      for (const name of own?.beside ?? []) {
        if (!linkIn(name) || !names.includes(name)) continue
        const text = chars > proofCharsMax ? tooLarge : await read(name)
        chars += 'text' in text ? text.text.length : 0
        texts.set(name, text)
      }
      const others = closes.filter(name => name !== close)
      const signed = signaturesBeside(close)
      const signatures = names.includes(signed) ? await read(signed) : { text: '' }
      return {
        chain: own?.chain ?? '',
        texts,
        strays,
        others,
        signatures: 'text' in signatures ? signatures.text : '',
      }
    },
  }
}

const nothing: ProofFiles = {
  chain: '',
  texts: new Map(),
  strays: [],
  others: [],
  signatures: '',
}
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const homeOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** A proof in its folder: a bundle, or a chain with its copies beside it, as it was before bundles. */
interface StoredClose {
  /** The bundle or the chain. */
  readonly file: string
  /** The name of the chain among the texts. */
  readonly chain: string
  readonly texts: ReadonlyMap<string, ProofText>
  /** Names of the copies beside the chain. */
  readonly beside: readonly string[]
  readonly closed: ClosedBy
}

/** What a chain says of its close. Empty where it cannot be read. */
interface ClosedBy {
  readonly issueId: string
  readonly closedAt: string
}

function inBundle(file: string, chain: string, read: PlainText): StoredClose {
  const bundle = 'text' in read ? (bundleIn(read.text) ?? { why: 'it is not a bundle' }) : read
  const files = 'why' in bundle ? {} : bundle.files
  const closed = closedIn(jsonIn(files[chain] ?? ''))
  const isOwn =
    'files' in bundle &&
    chainFileOf(bundle.chainDigest) === chain &&
    bundle.issueId === closed.issueId
  if (isOwn) {
    const texts = new Map(Object.entries(files).map(([name, text]) => [name, { text }]))
    return { file, chain, texts, beside: [], closed }
  }
  const broken = 'why' in bundle ? bundle : { why: 'it holds the proof of another close' }
  return { file, chain: file, texts: new Map([[file, broken]]), beside: [], closed }
}

function inFiles(chain: string, read: PlainText): StoredClose {
  const value = 'text' in read ? jsonIn(read.text) : undefined
  const texts = new Map([[chain, read]])
  return { file: chain, chain, texts, beside: linksIn(value), closed: closedIn(value) }
}

function closedIn(value: Json | undefined): ClosedBy {
  const { issueId, closedAt }: JsonObject = isJsonObject(value) ? value : {}
  return {
    issueId: String(issueId ?? ''),
    closedAt: String(closedAt ?? ''),
  }
}

/** The close that the row names, then the others from the newest to the oldest. */
function closeInForceFirst(
  closes: readonly StoredClose[],
  { memory }: Pick<OpenWitnesses, 'memory'>,
): readonly string[] {
  const isNamed = ({ file, closed }: StoredClose) => {
    const issue = memory?.get(closed.issueId)
    const digest = issue && closeOf(issue)?.['chain']
    return typeof digest === 'string' && proofFilesFor(digest).includes(file)
  }
  const byTime = closes.toSorted(
    (a, b) => byCodePoint(b.closed.closedAt, a.closed.closedAt) || byCodePoint(b.file, a.file),
  )
  const ordered = [...byTime.filter(isNamed), ...byTime.filter(one => !isNamed(one))]
  // A merge with a clone of an earlier version may bring the same close in both forms.
  return ordered
    .filter((one, at) => ordered.findIndex(({ chain }) => chain === one.chain) === at)
    .map(({ file }) => file)
}

/** `undefined` where the text is not a bundle. A changed bundle faults. */
export function proofFilesOf(text: string, path: string): ProofFiles | undefined {
  const bundle = bundleIn(text)
  if (bundle === undefined) return undefined
  if ('why' in bundle) {
    throw new Fault('corrupt', `${path}: ${bundle.why}`, {
      hint: 'premath witness export writes it again.',
      detail: { path },
    })
  }
  const chain = chainFileOf(bundle.chainDigest)
  // An exported bundle has the signatures among its files. A stored one has them beside it.
  const { [signaturesFileOf(bundle.chainDigest)]: signatures = '', ...files } = bundle.files
  const texts = new Map(Object.entries(files).map(([name, one]) => [name, { text: one }]))
  return { chain, texts, strays: [], others: [], signatures }
}
