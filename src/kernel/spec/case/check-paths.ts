/** Paths of a case that lead out of where they may, found before anything is read or written. */
import { contractPath, isExternal, temporaryPath } from '../contract-path.ts'
import type { RawCase } from '../document/raw-case.ts'
import { parseExternalRef } from '../external-ref.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import type { ShapeProblem } from './check-shape.ts'
import { mappingIn, textsIn } from './requires.ts'
import { setupClashes } from './setup-clash.ts'

export function checkPaths({ value, type }: Pick<RawCase, 'value' | 'type'>): ShapeProblem[] {
  const harness = mappingIn(value, 'harness')
  const includes = textsIn(mappingIn(harness, 'spec_lang'), 'includes')
  const path = value.get('path')
  return [
    ...(typeof path === 'string'
      ? refusal(contractPath(path), 'path', contractHint, `${type} path`)
      : []),
    ...libraries(includes, 'harness.spec_lang.includes'),
    ...(type === 'spec_lang.library' ? libraries(textsIn(value, 'imports'), 'imports') : []),
    ...setupFiles(harness.get('setup_files')),
  ]
}

function libraries(paths: readonly string[], at: string): ShapeProblem[] {
  return paths.flatMap((path, index) => {
    if (isBlank(path)) return []
    const read = isExternal(path) ? parseExternalRef(path) : contractPath(path)
    return refusal(read, `${at}[${index}]`)
  })
}

/** Its shape was told already. */
const isBlank = (text: string) => text.trim() === ''

function setupFiles(value: SpecValue | undefined): ShapeProblem[] {
  const key = 'harness.setup_files'
  if (isMapping(value)) return refusal(setupPath(value), `${key}.path`, temporaryHint)
  if (!isList(value)) return []
  const read = value.map(setupPath)
  const paths = read.flatMap(one => (one && 'path' in one ? [one.path] : []))
  // Numbers are told, and mean nothing where some are missing.
  const clashes = paths.length < read.length ? [] : setupClashes(paths, key)
  return [
    ...read.flatMap((one, at) => refusal(one, `${key}[${at}].path`, temporaryHint)),
    ...clashes.map(({ at, message }) => clashing(`${key}[${at}].path`, message)),
  ]
}

function setupPath(file: SpecValue) {
  const path = isMapping(file) ? file.get('path') : undefined
  return typeof path !== 'string' || isBlank(path) ? undefined : temporaryPath(path)
}

const clashing = (path: string, message: string): ShapeProblem => ({
  path,
  code: 'case.path',
  message,
  hint: 'Give one of them another path.',
})

const temporaryHint = 'Name a file below the temporary folder of the case, such as in/rows.txt.'
const contractHint = 'Name a file below the contract root, such as /docs/rows.txt.'

function refusal(
  read: object | undefined,
  path: string,
  hint = contractHint,
  name = path,
): ShapeProblem[] {
  if (read === undefined || !('refused' in read)) return []
  return [{ path, code: 'case.path', message: `${name} ${read.refused}`, hint }]
}
