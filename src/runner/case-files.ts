/** Finds the files that a case depends on, as far as they are known before it runs. */
import { Fault } from '../fault.ts'
import { includedLibraries, namedFiles } from '../kernel/spec/case/named-files.ts'
import { type ChainGraph, missingDocuments } from '../kernel/spec/chain/chain-graph.ts'
import { contractPath } from '../kernel/spec/contract-path.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import { readDocument } from '../kernel/spec/document/read-document.ts'
import { libraryImports } from '../kernel/spec/lang/library-case.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import { caseTypes } from './cases/index.ts'
import { below } from './contract-roots.ts'
import type { LoadedDocument } from './load-documents.ts'
import type { RunnerWorld } from './runner-world.ts'

interface CaseFilesSetup {
  readonly documents: readonly LoadedDocument[]
  readonly graph: ChainGraph
  readonly files: RunnerWorld['files']
}

export class CaseFiles {
  readonly #setup: CaseFilesSetup
  readonly #documents = new Map<RawCase, LoadedDocument>()
  readonly #own = new Map<RawCase, ReadonlySet<string>>()
  readonly #imports = new Map<string, readonly string[]>()

  constructor(setup: CaseFilesSetup) {
    this.#setup = setup
    for (const document of setup.documents) {
      for (const raw of document.cases) this.#documents.set(raw, document)
    }
  }

  /** Absolute paths of the case's own files and of the files of its chain. */
  async filesOf(raw: RawCase): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for (const one of [raw, ...this.#setup.graph.prerequisitesOf(raw)]) {
      for (const path of await this.#ownOf(one)) found.add(path)
    }
    return found
  }

  async #ownOf(raw: RawCase): Promise<ReadonlySet<string>> {
    const known = this.#own.get(raw)
    if (known !== undefined) return known
    const document = this.#documents.get(raw)
    const made = document === undefined ? new Set<string>() : await this.#find(raw, document)
    this.#own.set(raw, made)
    return made
  }

  async #find(raw: RawCase, document: LoadedDocument): Promise<ReadonlySet<string>> {
    const { root, path } = document
    // A document that the chain names may not exist yet.
    const chained = missingDocuments([{ root, path, cases: [raw] }])
    return new Set([
      below(root, path),
      ...chained.map(one => below(one.root, one.path)),
      ...namedFiles(raw.value, root).map(one => below(root, one)),
      ...(caseTypes.get(raw.type)?.files?.(raw.value) ?? []).map(one => below(root, one)),
      ...(await this.#librariesOf(includedLibraries(raw.value), root)),
    ])
  }

  /** The included libraries and the libraries they import. */
  async #librariesOf(includes: readonly string[], root: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    const pending = [...includes]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const read = contractPath(next)
      const path = 'path' in read ? below(root, read.path) : undefined
      if (path === undefined || found.has(path)) continue
      found.add(path)
      pending.push(...(await this.#importsIn(path)))
    }
    return found
  }

  async #importsIn(path: string): Promise<readonly string[]> {
    const known = this.#imports.get(path)
    if (known !== undefined) return known
    const made = await importsIn(path, this.#setup.files)
    this.#imports.set(path, made)
    return made
  }
}

/** An unreadable library imports nothing here. The case that includes it reports the error. */
async function importsIn(path: string, files: RunnerWorld['files']): Promise<readonly string[]> {
  try {
    const { cases } = readDocument(decodeUtf8(await files.read(path)), path)
    return cases.flatMap(({ value }) => libraryImports(value))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return []
  }
}
