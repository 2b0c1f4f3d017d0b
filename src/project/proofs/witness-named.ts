/** Finds a witness or proof by an issue id, a path, a digest or the start of a digest. */

import { Fault } from '../../fault.ts'
import { chainOfBundle, isProofFile } from '../../kernel/proof/proof-folder.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import { nearest } from '../../kernel/text/nearest.ts'
import { readPlain } from '../../store/plain-file.ts'
import type { OperationContext } from '../context.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import { resolvePath } from '../paths.ts'
import { type ProofFiles, proofFilesIn, proofFilesOf } from './proof-files.ts'
import { witnessIn } from './witness-document.ts'
import {
  proofWitnesses,
  type StoredWitness,
  shownPath,
  storedText,
  storedWitnesses,
} from './witness-inventory.ts'

export type NamedWitness =
  | {
      readonly is: 'proof'
      /** The folder of the proof, or a bundle. */
      readonly path: string
      readonly files: ProofFiles | undefined
      /** Whether it lies in the proofs of the project, so that issue memory can confirm it. */
      readonly isKept: boolean
      readonly issueId?: string
    }
  | {
      readonly is: 'witness'
      readonly path: string
      /** The name of its file, or its name in the bundle at the path. */
      readonly name: string
      readonly text: string
    }

export async function namedWitness(
  word: string,
  open: OpenWitnesses,
  context: OperationContext,
): Promise<NamedWitness> {
  if (/[/\\]|\.json$/.test(word)) return await atPath(word, open, context)
  const folder = open.proofs.folderOf(word)
  if (open.memory?.has(word) || (await open.disk.entry(folder))) {
    const files = await proofFilesIn(folder, open)
    return { is: 'proof', path: folder, files, isKept: true, issueId: word }
  }
  const instruction = `${open.root}/${witnessFolder}/${word}.json`
  if (/^[\w.-]+$/.test(word) && (await open.disk.entry(instruction))) {
    const name = `${word}.json`
    return await witnessOf(
      { kind: 'instruction', digest: undefined, path: instruction, name },
      open,
    )
  }
  return await witnessOf(await byDigest(word, open), open)
}

async function atPath(
  word: string,
  open: OpenWitnesses,
  context: OperationContext,
): Promise<NamedWitness> {
  const path = resolvePath(context.cwd(), word)
  const entry = await open.disk.entry(path)
  const [home, name] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)]
  const isAmongProofs = async (folder: string) =>
    (await open.disk.realPath(folder)).startsWith(`${open.proofs.folder}/`)
  // Elsewhere a bundle stands for itself.
  const isInFolder = isProofFile(name) && (!chainOfBundle(name) || (await isAmongProofs(home)))
  if (entry?.kind === 'folder' || (entry && isInFolder)) {
    const folder = isInFolder ? home : path
    const files = await proofFilesIn(folder, open, name)
    const isKept = await isAmongProofs(folder)
    if (files) return { is: 'proof', path: folder, files, isKept }
  }
  // A person may name a path outside of the project, but a link is not followed.
  const read = await readPlain(path, { root: path, disk: open.disk })
  if ('why' in read) throw unreadable(word, read.why)
  const files = proofFilesOf(read.text, word)
  if (files) return { is: 'proof', path, files, isKept: false }
  return { is: 'witness', path, name, text: mustBeWitness(word, read.text, open) }
}

async function witnessOf(
  stored: Omit<StoredWitness, 'at'>,
  open: OpenWitnesses,
): Promise<NamedWitness> {
  const { path, name } = stored
  const shown = shownPath(path, open)
  const read = await storedText(stored, open)
  if ('why' in read) throw unreadable(shown, read.why)
  return { is: 'witness', path, name, text: mustBeWitness(shown, read.text, open) }
}

function mustBeWitness(shown: string, text: string, { sha256 }: OpenWitnesses): string {
  if (witnessIn(text, sha256)) return text
  throw unreadable(shown, 'it is cut off, or of an unknown kind')
}

const unreadable = (shown: string, why: string) =>
  new Fault('invalid_input', `${shown} cannot be read as a witness: ${why}`, {
    hint: 'premath witness list shows what is there.',
    detail: { path: shown },
  })

const digestStart = /^(?:sha256:)?([0-9a-f]{4,64})$/

/** The same witness may lie in two places, and counts once. */
async function byDigest(word: string, open: OpenWitnesses): Promise<StoredWitness> {
  const start = digestStart.exec(word)?.[1]
  const all = await allOf(open)
  const digests = [...all.keys()]
  const found = start === undefined ? [] : digests.filter(digest => digest.startsWith(start))
  const [only, other] = found
  const match = only === undefined ? undefined : all.get(only)
  if (match && other === undefined) return match
  throw match ? ambiguous(word, found) : unknown(word, digests, open)
}

async function allOf(open: OpenWitnesses): Promise<ReadonlyMap<string, StoredWitness>> {
  const all = new Map<string, StoredWitness>()
  for (const one of [...(await storedWitnesses(open)), ...(await proofWitnesses(open))]) {
    const digest = one.digest ?? (await recordedDigest(one, open))
    if (digest !== undefined && !all.has(digest)) all.set(digest, one)
  }
  return all
}

/** The witness of an instruction has its digest inside, and not in its name. */
async function recordedDigest(stored: StoredWitness, open: OpenWitnesses) {
  const read = await storedText(stored, open)
  return 'why' in read ? undefined : witnessIn(read.text, open.sha256)?.digest
}

const shownMax = 5

function ambiguous(word: string, digests: readonly string[]): Fault {
  const listed = digests.slice(0, shownMax).map(digest => digest.slice(0, 16))
  const more = digests.length > shownMax ? ' and more' : ''
  return new Fault('usage', `${word} is the start of ${digests.length} digests`, {
    hint: `Give more of it: ${listed.join(', ')}${more}.`,
    detail: { digests: digests.slice(0, shownMax) },
  })
}

function unknown(word: string, digests: readonly string[], { memory }: OpenWitnesses): Fault {
  const near =
    nearest(
      word,
      [...(memory?.all() ?? [])].map(({ id }) => id),
    ) ?? digests.find(digest => digest.startsWith(word.slice(0, 4)) && word.length > 4)
  return new Fault('invalid_input', `no witness, issue or file is called ${word}`, {
    hint: near
      ? `Did you mean ${near}?`
      : 'Name a digest or the start of one, a file, or an issue: premath witness list shows them.',
  })
}
