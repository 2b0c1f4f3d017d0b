/** Paths of a case that lead out of where they may, found before anything is read or written. */
import { contractPath, isExternal, temporaryPath } from '../contract-path.ts'
import type { RawCase } from '../document/raw-case.ts'
import { parseExternalRef } from '../external-ref.ts'
import type { SpecValue } from '../lang/value.ts'
import type { ShapeProblem } from './check-shape.ts'
import { mappingIn, textsIn } from './requires.ts'

export function checkPaths({ value, type }: Pick<RawCase, 'value' | 'type'>): ShapeProblem[] {
  const harness = mappingIn(value, 'harness')
  const includes = textsIn(mappingIn(harness, 'spec_lang'), 'includes')
  const path = value.get('path')
  return [
    ...(typeof path === 'string' ? refusal(contractPath(path), 'path', `${type} path`) : []),
    ...libraries(includes, 'harness.spec_lang.includes'),
    ...(type === 'spec_lang.library' ? libraries(textsIn(value, 'imports'), 'imports') : []),
    ...setupFiles(harness.get('setup_files')),
  ]
}

function libraries(paths: readonly string[], at: string): ShapeProblem[] {
  return paths.flatMap((path, index) => {
    const read = isExternal(path) ? parseExternalRef(path) : contractPath(path)
    return refusal(read, `${at}[${index}]`)
  })
}

function setupFiles(value: SpecValue | undefined): ShapeProblem[] {
  const at = 'harness.setup_files'
  if (value instanceof Map) return setupFile(value, at)
  if (!Array.isArray(value)) return []
  const files = value as readonly SpecValue[]
  return files.flatMap((file, index) =>
    file instanceof Map ? setupFile(file, `${at}[${index}]`) : [],
  )
}

function setupFile(file: ReadonlyMap<string, SpecValue>, at: string): ShapeProblem[] {
  const path = file.get('path')
  if (typeof path !== 'string') return []
  return refusal(temporaryPath(path), `${at}.path`).map(one => ({ ...one, hint: temporaryHint }))
}

const temporaryHint = 'Name a file below the temporary folder of the case, such as in/rows.txt.'
const contractHint = 'Name a file below the contract root, such as /docs/rows.txt.'

function refusal(read: object, path: string, name = path): ShapeProblem[] {
  if (!('refused' in read)) return []
  return [{ path, code: 'case.path', message: `${name} ${read.refused}`, hint: contractHint }]
}
