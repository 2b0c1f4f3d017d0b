/** `imports`: builtins under names chosen by the author, for one case or library. */
import type { Builtin } from './builtin.ts'
import { builtinNamed, namespaces } from './builtins.ts'
import { specialForms } from './scope.ts'
import type { SpecError } from './spec-error.ts'
import { isList, isMapping, type SpecValue } from './value.ts'

/** Reads `[{from: std.math, names: [add], as: {add: plus}}, …]`. */
export function readImports(
  value: SpecValue | undefined,
  path: string,
): ReadonlyMap<string, Builtin> | SpecError[] {
  const imports = new Imports()
  if (value !== undefined && !isList(value)) imports.refuse(path, 'imports must be a list')
  else for (const [at, entry] of (value ?? []).entries()) imports.add(entry, `${path}[${at}]`)
  return imports.errors.length > 0 ? imports.errors : imports.aliases
}

class Imports {
  readonly aliases = new Map<string, Builtin>()
  readonly errors: SpecError[] = []

  refuse(path: string, message: string): void {
    this.errors.push({ category: 'schema', message: `spec_lang import: ${message}`, path })
  }

  add(entry: SpecValue, path: string): void {
    const from = isMapping(entry) ? entry.get('from') : undefined
    const names = isMapping(entry) ? entry.get('names') : undefined
    const renamed = (isMapping(entry) ? entry.get('as') : undefined) ?? new Map()
    if (typeof from !== 'string' || !Object.hasOwn(namespaces, from)) {
      this.refuse(`${path}.from`, `from must be one of ${Object.keys(namespaces).join(', ')}`)
    } else if (!isList(names) || names.length === 0) {
      this.refuse(`${path}.names`, 'names must be a list of at least one name')
    } else if (!isMapping(renamed)) {
      this.refuse(`${path}.as`, 'as must be a mapping')
    } else {
      for (const [at, name] of names.entries()) {
        const builtin = builtinNamed(`${from}.${name}`)
        if (builtin === undefined) this.refuse(`${path}.names[${at}]`, `${from} has no ${name}`)
        else this.#bind(renamed.get(String(name)) ?? (name as string), builtin, path)
      }
    }
  }

  #bind(alias: SpecValue, builtin: Builtin, path: string): void {
    const known = typeof alias === 'string' ? this.aliases.get(alias) : undefined
    if (typeof alias !== 'string' || alias.trim() === '') {
      this.refuse(`${path}.as`, `the alias for ${builtin.name} must be non-blank text`)
    } else if (specialForms.includes(alias)) {
      this.refuse(path, `${alias} is a special form and cannot be an alias for ${builtin.name}`)
    } else if (known !== undefined && known !== builtin) {
      this.refuse(path, `${alias} stands for ${known.name} already`)
    } else this.aliases.set(alias, builtin)
  }
}
