/** Reads one case of type `spec_lang.library`. */
import type { SpecError } from './spec-error.ts'
import { isList, isMapping, type SpecValue } from './value.ts'

export interface Definition {
  readonly name: string
  readonly isPublic: boolean
  readonly source: SpecValue
  /** Path in the case, such as `definitions.public.is_ok`. */
  readonly path: string
}

/** Paths of imported libraries. */
export function libraryImports(value: ReadonlyMap<string, SpecValue>): readonly string[] {
  return splitImports(value.get('imports')).paths.map(({ path }) => path)
}

/** A text names a library. A mapping renames builtins and is checked where those are read. */
export function splitImports(imports: SpecValue | undefined): {
  readonly paths: readonly { readonly at: number; readonly path: string }[]
  readonly builtins: SpecValue | undefined
} {
  if (!isList(imports)) return { paths: [], builtins: imports }
  return {
    paths: imports.flatMap((path, at) => (typeof path === 'string' ? [{ at, path }] : [])),
    builtins: imports.filter(entry => typeof entry !== 'string'),
  }
}

export function readDefinitions(value: ReadonlyMap<string, SpecValue>): {
  readonly definitions: readonly Definition[]
  readonly errors: readonly SpecError[]
} {
  const errors: SpecError[] = []
  const refuse = (path: string, message: string) =>
    errors.push({ category: 'schema', message: `spec_lang library: ${message}`, path })
  const sections = value.get('definitions')
  if (!isMapping(sections)) {
    refuse('definitions', 'definitions must be a mapping')
    return { definitions: [], errors }
  }
  const definitions: Definition[] = []
  for (const [section, symbols] of sections) {
    const path = `definitions.${section}`
    if (section !== 'public' && section !== 'private') {
      refuse(path, 'definitions allows only public and private')
    } else if (!isMapping(symbols)) refuse(path, `${path} must be a mapping`)
    else {
      for (const [name, source] of symbols) {
        if (name.trim() === '') refuse(path, 'a symbol must have a name')
        const isPublic = section === 'public'
        definitions.push({ name, isPublic, source, path: `${path}.${name}` })
      }
    }
  }
  if (errors.length === 0 && definitions.length === 0) {
    refuse('definitions', 'definitions must have at least one symbol')
  }
  return { definitions, errors }
}
