/** Reads and links libraries of expressions, once per run. */
import { Fault } from '../fault.ts'
import { mappingIn, textsIn } from '../kernel/spec/case/requires.ts'
import { contractPath, isExternal } from '../kernel/spec/contract-path.ts'
import { isError } from '../kernel/spec/document/raw-case.ts'
import { readDocument } from '../kernel/spec/document/read-document.ts'
import { parseExternalRef } from '../kernel/spec/external-ref.ts'
import type { Budget } from '../kernel/spec/lang/budget.ts'
import {
  type Library,
  type LibraryError,
  type LibraryFile,
  linkLibraries,
} from '../kernel/spec/lang/library.ts'
import { libraryImports } from '../kernel/spec/lang/library-case.ts'
import type { StartTimer } from '../kernel/spec/lang/meter.ts'
import type { Regex } from '../kernel/spec/lang/regex.ts'
import { isErrors, type SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { ContractRoots } from './contract-roots.ts'
import { type ExternalResolver, resolveExternal } from './external-reference.ts'
import type { RunnerWorld } from './runner-world.ts'

interface LibraryRequest {
  readonly root: string
  readonly includes: readonly string[]
  readonly budget: Budget
  /** `harness.spec_lang.references`. */
  readonly references: ReadonlyMap<string, SpecValue>
  /** Capabilities the case requires. */
  readonly required: readonly string[]
}

interface LibrarySetting {
  readonly world: Pick<RunnerWorld, 'files'>
  readonly roots: ContractRoots
  readonly startTimer: StartTimer
  readonly regex: Regex
  readonly offered: ReadonlySet<string>
  readonly resolvers: readonly ExternalResolver[]
}

const none: Library = { symbols: new Map(), privateNames: new Set() }

export class Libraries {
  readonly #setting: LibrarySetting
  readonly #linked = new Map<string, Promise<Library | readonly SpecError[]>>()
  readonly #files = new Map<string, Promise<LibraryFile | SpecError>>()

  constructor(setting: LibrarySetting) {
    this.#setting = setting
  }

  async linked(request: LibraryRequest): Promise<Library | readonly SpecError[]> {
    if (request.includes.length === 0) return none
    const { root, includes, budget, references, required } = request
    const key = JSON.stringify([root, includes, budget, [...references], required])
    const known = this.#linked.get(key)
    if (known !== undefined) return await known
    const made = this.#link(request)
    this.#linked.set(key, made)
    return await made
  }

  async #link(request: LibraryRequest): Promise<Library | readonly SpecError[]> {
    const { includes, budget } = request
    const found = new Map<string, LibraryFile>()
    const errors: SpecError[] = []
    const pending = includes.map((path, at) => ({ path, at: `harness.spec_lang.includes[${at}]` }))
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const { path, at } = next
      if (found.has(path)) continue
      const file = await this.#file(path, request)
      if ('category' in file) {
        errors.push({ ...file, path: at })
        continue
      }
      found.set(path, file)
      for (const one of file.cases.flatMap(({ value }) => libraryImports(value))) {
        pending.push({ path: one, at })
      }
    }
    if (errors.length > 0) return errors
    const { startTimer, regex } = this.#setting
    const find = (path: string) => found.get(path)
    const library = linkLibraries({ includes, find, budget, startTimer, regex })
    return isErrors(library) ? library.map(placed) : library
  }

  async #file(path: string, request: LibraryRequest): Promise<LibraryFile | SpecError> {
    if (isExternal(path)) return await this.#external(path, request)
    const read = contractPath(path)
    if ('refused' in read) return refused(path, read.refused)
    const key = `${request.root}\0${read.path}`
    const known = this.#files.get(key)
    if (known !== undefined) return await known
    const made = this.#fromDisk(request.root, read.path)
    this.#files.set(key, made)
    return await made
  }

  async #fromDisk(root: string, path: `/${string}`): Promise<LibraryFile | SpecError> {
    const { world, roots } = this.#setting
    try {
      const place = await roots.confined(root, path)
      if ('refused' in place) return refused(path, place.refused)
      return libraryOf(decodeUtf8(await world.files.read(place.realPath)), path)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const unread = refused(path, `cannot be read: ${roots.withoutRoot(error, root)}`)
      return { ...unread, hint: 'A path in includes starts at the contract root.' }
    }
  }

  async #external(path: string, request: LibraryRequest): Promise<LibraryFile | SpecError> {
    const ref = parseExternalRef(path)
    if ('refused' in ref) return refused(path, ref.refused)
    const { references, required } = request
    const mode = references.get('mode') === 'allow' ? 'allow' : 'deny'
    const policy = { mode, providers: textsIn(references, 'providers') } as const
    const { offered, resolvers } = this.#setting
    const rules = mappingIn(references, 'rules')
    const found = await resolveExternal(ref, rules, { policy, required, offered }, resolvers)
    return 'refused' in found ? refused(path, found.refused) : libraryOf(found.text, path)
  }
}

function libraryOf(text: string, file: string): LibraryFile | SpecError {
  const { cases, problems } = readDocument(text, file)
  const [problem] = problems.filter(isError)
  if (problem !== undefined) return refused(file, `cannot be read: ${problem.message}`)
  const libraries = cases.filter(({ type }) => type === 'spec_lang.library')
  return { file, cases: libraries.map(({ id, value }) => ({ id, value })) }
}

const refused = (path: string, why: string): SpecError => ({
  category: 'schema',
  message: `spec_lang library not found: ${path} ${why}`,
})

/**
 * A place in a library goes into the message, because the judged case lies in another document.
 */
function placed({ category, message, path, file, caseId }: LibraryError): SpecError {
  if (file === undefined) return { category, message, ...(path !== undefined && { path }) }
  const where = [file, ...(caseId === undefined ? [] : [`#${caseId}`])].join('')
  return {
    category,
    message: `${where}${path === undefined ? '' : ` ${path}`}: ${message}`,
    path: 'harness.spec_lang.includes',
  }
}
