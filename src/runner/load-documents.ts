/** Documents from disk, and those that their chains name. Every failure is a problem of a document. */
import { Fault } from '../fault.ts'
import { missingDocuments, type PlacedDocument } from '../kernel/spec/chain/chain-graph.ts'
import type { ContractPath } from '../kernel/spec/contract-path.ts'
import type { Problem } from '../kernel/spec/document/problem.ts'
import {
  documentBytesMax,
  readDocument,
  type SpecDocument,
  tooLarge,
  unreadable,
} from '../kernel/spec/document/read-document.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import { below, contractRoot, pathBelow } from './contract-root.ts'
import { ContractRoots } from './contract-roots.ts'
import { absolutePath, type RunnerWorld, shownPath } from './runner-world.ts'

export interface LoadedDocument extends PlacedDocument {
  /** As people name it. */
  readonly file: string
  /** All of it; empty where it could not be read. */
  readonly text: string
  readonly problems: readonly Problem[]
}

/** In the order given. `root` as given by a person, or found for each document. */
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

const rootHint = 'Name a root that holds all documents: --root <folder>.'

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
    // Looked at first: a pipe would be waited for.
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

/** Never more of a file than can be a document. */
async function readFile(path: string, file: string, { files }: RunnerWorld): Promise<ReadDocument> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of files.stream(path)) {
    length += chunk.length
    if (length > documentBytesMax) return { ...tooLarge(file), text: '' }
    chunks.push(chunk.slice())
  }
  const text = decodeUtf8(joined(chunks, length))
  return { ...readDocument(text, file), text }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The documents with all that their chains lead to; those not asked for come last. */
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
      // A path to nothing is told where the chain names it.
      if ((await world.files.kindOf(absolute)) !== 'file') continue
      all.push(await loadBelow(root, path, shownPath(absolute, world), world))
    }
  }
}
