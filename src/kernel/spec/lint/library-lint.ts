/** Warns about unused library definitions. It reports only certain findings. */
import { placed } from '../case/check-case.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import type { Problem, RawCase } from '../document/raw-case.ts'
import { type Definition, readDefinitions, splitImports } from '../lang/library-case.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { usedNames } from './linted-case.ts'

interface LintedLibrary {
  /** The library cases of one document. */
  readonly cases: readonly RawCase[]
  /** Names used elsewhere; `undefined` if the users of the library are unknown. */
  readonly usedElsewhere: ReadonlySet<string> | undefined
}

export function lintLibrary({ cases, usedElsewhere }: LintedLibrary): readonly Problem[] {
  const read = cases.map(raw => ({
    raw,
    defined: readDefinitions(raw.value).definitions.map(one => ({
      ...one,
      uses: usedNames(one.source),
    })),
  }))
  const all = read.flatMap(({ defined }) => defined)
  const isUsed = (one: Defined): boolean => {
    if (one.isPublic && (usedElsewhere === undefined || usedElsewhere.has(one.name))) return true
    return all.some(other => other !== one && other.uses.has(one.name))
  }
  return read.flatMap(({ raw, defined }) => {
    const names = new Set(defined.flatMap(({ uses }) => [...uses]))
    const { builtins } = splitImports(raw.value.get('imports'))
    const found = [
      ...defined.filter(one => !isUsed(one)).map(unusedSymbol),
      ...unusedBuiltins(builtins, 'imports', names),
    ]
    return found.map(one => placed({ ...one, severity: 'warning' }, raw))
  })
}

interface Defined extends Definition {
  readonly uses: ReadonlySet<string>
}

const unusedSymbol = ({ name, path, isPublic }: Defined): ShapeProblem => ({
  path,
  atKey: true,
  code: 'lint.unused_symbol',
  message: `${isPublic ? 'no linted document' : 'nothing in this document'} uses ${name}`,
  hint: 'Remove it.',
})

/** Renamed builtins that no expression uses. */
export function unusedBuiltins(
  imports: SpecValue | undefined,
  at: string,
  used: ReadonlySet<string>,
): readonly ShapeProblem[] {
  return (isList(imports) ? imports : []).flatMap((entry, index) => {
    const names = isMapping(entry) ? entry.get('names') : undefined
    const renamed = isMapping(entry) ? entry.get('as') : undefined
    return (isList(names) ? names : []).flatMap((name, place) => {
      const alias = (isMapping(renamed) ? renamed.get(String(name)) : undefined) ?? name
      if (used.has(String(alias))) return []
      return [
        {
          path: `${at}[${index}].names[${place}]`,
          code: 'lint.unused_import',
          message: `no expression uses ${String(alias)}`,
          hint: 'Remove it.',
        },
      ]
    })
  })
}
