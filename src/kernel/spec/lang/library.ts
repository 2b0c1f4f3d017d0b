/**
 * Links libraries. A definition sees its own file and the public symbols of imported files. Linking
 * precedes the choice of exports, so that a public function can use a private one.
 */
import type { Builtin } from './builtin.ts'
import { compileExpression } from './compile.ts'
import { type Evaluation, sizeExceeded } from './evaluate.ts'
import { readImports } from './imports.ts'
import type { Cell } from './instruction.ts'
import { readDefinitions, splitImports } from './library-case.ts'
import { Machine } from './machine.ts'
import { Meter } from './meter.ts'
import { plainScope, type Scope } from './scope.ts'
import { Failure, type SpecError } from './spec-error.ts'
import type { SpecValue } from './value.ts'

/** The `spec_lang.library` cases of one file. */
export interface LibraryFile {
  /** A unique name of the file, whatever path it was requested by. */
  readonly file: string
  readonly cases: readonly LibraryCase[]
}

export interface LibraryCase {
  readonly id: string
  readonly value: ReadonlyMap<string, SpecValue>
}

/** An error at a place in a library; without a file, in the requesting case. */
export interface LibraryError extends SpecError {
  readonly file?: string
  readonly caseId?: string
}

export interface Library {
  /** Public symbols of all files, by name. */
  readonly symbols: ReadonlyMap<string, Cell>
  /** Names that exist but are hidden from cases. */
  readonly privateNames: ReadonlySet<string>
}

interface LinkOptions extends Omit<Evaluation, 'subject'> {
  /** Included paths, in order. */
  readonly includes: readonly string[]
  /** The loaded file at a path; `undefined` if there is none. */
  readonly find: (path: string) => LibraryFile | undefined
}

export function linkLibraries(options: LinkOptions): Library | LibraryError[] {
  return new Linker(options).link()
}

/** The symbols a case can use: all public ones, or those in `exports`. */
export function visibleSymbols(
  library: Library,
  exports: readonly string[] | undefined,
  path = 'harness.spec_lang.exports',
): ReadonlyMap<string, Cell> | SpecError[] {
  if (exports === undefined) return library.symbols
  const visible = new Map<string, Cell>()
  const errors: SpecError[] = []
  for (const [at, name] of exports.entries()) {
    const cell = library.symbols.get(name)
    if (cell !== undefined) visible.set(name, cell)
    else {
      const why = library.privateNames.has(name) ? 'is private' : 'is not defined'
      const message = `spec_lang export ${why} in the included libraries: ${name}`
      errors.push({ category: 'schema', message, path: `${path}[${at}]` })
    }
  }
  return errors.length > 0 ? errors : visible
}

/** The scope of a case's expressions. */
export function caseScope(
  aliases: ReadonlyMap<string, Builtin> = plainScope.aliases,
  symbols: ReadonlyMap<string, Cell> = plainScope.symbols,
  values: readonly string[] = plainScope.values,
): Scope {
  return { aliases, symbols, hasSubject: true, values }
}

/** A file with its imports resolved. */
interface Linked {
  readonly name: string
  readonly imports: readonly Linked[]
  readonly publicCells: Map<string, Cell>
  readonly privateCells: Map<string, Cell>
  readonly definitions: Defined[]
}

interface Defined {
  readonly cell: Cell
  readonly source: SpecValue
  readonly path: string
  readonly caseId: string
  readonly aliases: ReadonlyMap<string, Builtin>
}

class Linker {
  readonly #options: LinkOptions
  readonly #errors: LibraryError[] = []
  /** Imports come before their importers. */
  readonly #linked = new Map<string, Linked>()
  readonly #homes = new Map<string, string>()

  constructor(options: LinkOptions) {
    this.#options = options
  }

  link(): Library | LibraryError[] {
    for (const [at, path] of this.#options.includes.entries()) {
      this.#load(path, [], { path: `harness.spec_lang.includes[${at}]` })
    }
    const files = [...this.#linked.values()]
    if (this.#errors.length === 0) for (const file of files) this.#compile(file)
    if (this.#errors.length === 0) for (const file of files) this.#compute(file)
    if (this.#errors.length > 0) return this.#errors
    return {
      symbols: new Map(files.flatMap(file => [...file.publicCells])),
      privateNames: new Set(files.flatMap(file => [...file.privateCells.keys()])),
    }
  }

  #load(
    path: string,
    chain: readonly string[],
    asked: { readonly path: string; readonly file?: string; readonly caseId?: string },
  ): Linked | undefined {
    const found = this.#options.find(path)
    if (found === undefined) {
      this.#refuse(`spec_lang library not found: ${path}`, asked)
      return undefined
    }
    if (chain.includes(found.file)) {
      const cycle = [...chain.slice(chain.indexOf(found.file)), found.file].join(' -> ')
      this.#refuse(`spec_lang library import cycle: ${cycle}`, asked)
      return undefined
    }
    const known = this.#linked.get(found.file)
    if (known !== undefined) return known
    if (found.cases.length === 0) {
      this.#refuse(`spec_lang library has no case of type spec_lang.library: ${path}`, asked)
    }
    return this.#read(found, [...chain, found.file])
  }

  #read({ file, cases }: LibraryFile, chain: readonly string[]): Linked {
    const imports: Linked[] = []
    const linked: Linked = {
      name: file,
      imports,
      publicCells: new Map(),
      privateCells: new Map(),
      definitions: [],
    }
    for (const { id: caseId, value } of cases) {
      const { paths, builtins } = splitImports(value.get('imports'))
      for (const { at, path } of paths) {
        const asked = { path: `imports[${at}]`, file, caseId }
        const imported = this.#load(path, chain, asked)
        if (imported !== undefined) imports.push(imported)
      }
      const aliases = readImports(builtins, 'imports')
      if (Array.isArray(aliases)) this.#refuseAll(aliases, { file, caseId })
      else this.#define(linked, value, caseId, aliases as ReadonlyMap<string, Builtin>)
    }
    this.#linked.set(file, linked)
    return linked
  }

  #define(
    linked: Linked,
    value: ReadonlyMap<string, SpecValue>,
    caseId: string,
    aliases: ReadonlyMap<string, Builtin>,
  ): void {
    const { definitions, errors } = readDefinitions(value)
    this.#refuseAll(errors, { file: linked.name, caseId })
    for (const { name, isPublic, source, path } of definitions) {
      const home = `${linked.name}#${caseId}`
      const other = this.#homes.get(name)
      if (other !== undefined) {
        const message = `spec_lang library symbol is defined twice: ${name}, also in ${other}`
        this.#refuse(message, { path, file: linked.name, caseId })
        continue
      }
      this.#homes.set(name, home)
      const cell: Cell = { name, path: `${home}.${path}`, code: [], state: 'pending', value: null }
      const cells = isPublic ? linked.publicCells : linked.privateCells
      cells.set(name, cell)
      linked.definitions.push({ cell, source, path, caseId, aliases })
    }
  }

  #compile(file: Linked): void {
    const symbols = new Map([
      ...[...reachable(file)].flatMap(one => [...one.publicCells]),
      ...file.privateCells,
    ])
    for (const { cell, source, path, caseId, aliases } of file.definitions) {
      const scope: Scope = { aliases, symbols, hasSubject: false, values: [] }
      const compiled = compileExpression(source, { path: cell.path, scope })
      const at = { file: file.name, caseId }
      if ('length' in compiled) {
        const prefix = cell.path.length - path.length
        this.#refuseAll(
          compiled.map(error => ({ ...error, path: (error.path ?? '').slice(prefix) })),
          at,
        )
        continue
      }
      const large = sizeExceeded(compiled, this.#options.budget)
      if (large !== undefined) this.#errors.push({ ...large, path, ...at })
      cell.code = compiled.code
    }
  }

  /** Computes every value once without a subject, to report errors early. */
  #compute(file: Linked): void {
    const { budget, startTimer, regex } = this.#options
    for (const { cell, path, caseId } of file.definitions) {
      const run = { subject: null, meter: new Meter(budget, startTimer), regex }
      const ask = { op: 'symbol', cell, path: cell.path } as const
      const machine = new Machine([ask, { op: 'return', path: cell.path }], cell.path, run)
      const result = machine.run()
      if (!(result instanceof Failure)) continue
      const { category, message } = result
      this.#errors.push({ category, message, path, file: file.name, caseId })
      return
    }
  }

  #refuse(message: string, at: Omit<LibraryError, 'category' | 'message'>): void {
    this.#errors.push({ category: 'schema', message, ...at })
  }

  #refuseAll(errors: readonly SpecError[], at: { file: string; caseId: string }): void {
    for (const error of errors) this.#errors.push({ ...error, ...at })
  }
}

/** The file and its transitive imports. */
function reachable(file: Linked, found = new Set<Linked>()): Set<Linked> {
  if (!found.has(file)) {
    found.add(file)
    for (const one of file.imports) reachable(one, found)
  }
  return found
}
