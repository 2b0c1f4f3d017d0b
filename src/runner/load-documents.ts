/**
 * Reads spec documents and the documents their chains name. Each failure becomes a problem of its
 * document.
 */
import { Fault } from '../fault.ts'
import { missingDocuments, type PlacedDocument } from '../kernel/spec/chain/chain-graph.ts'
import type { ContractPath } from '../kernel/spec/contract-path.ts'
import type { Problem } from '../kernel/spec/document/raw-case.ts'
import {
  documentBytesMax,
  readDocument,
  type SpecDocument,
  tooLarge,
  unreadable,
} from '../kernel/spec/document/read-document.ts'
import { joinedBytes } from '../world/joined-bytes.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import { below, ContractRoots, contractRoot, pathBelow } from './contract-roots.ts'
import { absolutePath, type RunnerWorld, shownPath } from './runner-world.ts'

export interface LoadedDocument extends PlacedDocument {
  /** The path as shown to people. */
  readonly file: string
  /** The whole text; empty if it could not be read. */
  readonly text: string
  readonly problems: readonly Problem[]
}

/** In the given order. Without `root`, each document gets its own contract root. */
export async function loadDocuments(
  files: readonly string[],
  root: string | undefined,
  world: RunnerWorld,
): Promise<readonly LoadedDocument[]> {
  const documents: LoadedDocument[] = []
  for (const file of files) documents.push(await loadDocument(file, root, world))
  return documents
}

async function loadDocument(
  file: string,
  givenRoot: string | undefined,
  world: RunnerWorld,
): Promise<LoadedDocument> {
  const root = await contractRoot(file, givenRoot, world)
  const path = pathBelow(root, absolutePath(file, world))
  if (path !== undefined) return await loadBelow(root, path, file, world)
  const document = unreadable(file, `lies outside the contract root ${root}`, rootHint)
  return { ...document, text: '', root, path: '/', file }
}

const rootHint = 'Pass a root that contains all documents: --root <folder>.'

async function loadBelow(
  root: string,
  path: ContractPath,
  file: string,
  world: RunnerWorld,
): Promise<LoadedDocument> {
  return { ...(await readBelow(root, path, file, world)), root, path, file }
}

type ReadDocument = SpecDocument & Pick<LoadedDocument, 'text'>

async function readBelow(
  root: string,
  path: ContractPath,
  file: string,
  world: RunnerWorld,
): Promise<ReadDocument> {
  try {
    const place = await new ContractRoots(world).confined(root, path)
    if ('refused' in place) return { ...unreadable(file, place.refused, rootHint), text: '' }
    // Check the kind first: reading a pipe would block.
    await (await world.disk()).stamp(place.realPath)
    return await readFile(place.realPath, file, world)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { line, column } = error.detail
    const hasSpot = typeof line === 'number' && typeof column === 'number'
    const spot = hasSpot ? { line, column } : undefined
    return { ...unreadable(file, error.message, error.hint, spot), text: '' }
  }
}

/** Reads at most the size limit of a document. */
async function readFile(path: string, file: string, { files }: RunnerWorld): Promise<ReadDocument> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of files.stream(path)) {
    length += chunk.length
    if (length > documentBytesMax) return { ...tooLarge(file), text: '' }
    chunks.push(chunk.slice())
  }
  const text = decodeUtf8(joinedBytes(chunks))
  return { ...readDocument(text, file), text }
}

/** Adds the documents that chains lead to, after those asked for. */
export async function withChained(
  documents: readonly LoadedDocument[],
  world: RunnerWorld,
): Promise<readonly LoadedDocument[]> {
  const all = [...documents]
  const tried = new Set<string>()
  for (;;) {
    const wanted = missingDocuments(all)
      .map(({ root, path }) => ({ root, path, absolute: below(root, path) }))
      .filter(({ absolute }) => !tried.has(absolute))
    if (wanted.length === 0) return all
    for (const { root, path, absolute } of wanted) {
      tried.add(absolute)
      // A missing document is reported where the chain names it.
      if ((await world.files.kindOf(absolute)) !== 'file') continue
      all.push(await loadBelow(root, path, shownPath(absolute, world), world))
    }
  }
}
