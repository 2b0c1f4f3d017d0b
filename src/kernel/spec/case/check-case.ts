/** Collects all problems in the shape of a case. */
import { nearest } from '../../text/nearest.ts'
import { checkChain } from '../chain/chain.ts'
import { contractPath, isExternal, temporaryPath } from '../contract-path.ts'
import { isError, type Problem, placeName, type RawCase } from '../document/raw-case.ts'
import { parseExternalRef } from '../external-ref.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { checkTemplates } from '../template/check-templates.ts'
import { checkAssert } from './assert-shape.ts'
import { checkKeys, checkValue, contractHint, type ShapeProblem } from './check-shape.ts'
import { setupClashes } from './cli-command.ts'
import { commonHarnessKeys, commonKeys } from './common-keys.ts'
import { type CaseType, chainTarget, type Keys } from './key-shape.ts'
import { checkMasks } from './masks.ts'
import { mappingIn, textsIn } from './requires.ts'

type CaseTypes = ReadonlyMap<string, CaseType>

/** In document order. A case without errors can be compiled and run. */
export function caseProblems(raw: RawCase, types: CaseTypes): readonly Problem[] {
  const type = types.get(raw.type)
  const shape = [
    ...checkTop(raw, types),
    ...checkHarness(raw, type),
    ...checkAssertions(raw, type),
    ...checkExpect(raw.value.get('expect')),
    ...checkPaths(raw),
    ...checkMasks(raw.value),
    ...(type?.flaws?.(raw.value) ?? []),
    ...checkChain(raw),
    ...checkTemplates(raw),
  ]
  return [...raw.problems, ...shape.map(one => placed(one, raw))].sort(
    (a, b) => a.place.line - b.place.line || a.place.column - b.place.column,
  )
}

/** The failure of a case with these errors. */
export const failureOf = (errors: readonly Problem[]) => ({
  category: failureCategory(errors),
  message: errors.map(({ message }) => message).join('; '),
})

export function failureCategory(problems: readonly Problem[]): 'schema' | 'runtime' {
  const errors = problems.filter(isError)
  // The keys of an unknown type are unknown too.
  if (errors.some(({ code }) => code === unknownType)) return 'runtime'
  return errors.every(({ category }) => category === 'runtime') ? 'runtime' : 'schema'
}

const unknownType = 'case.unknown_type'

export function placed({ path, atKey, ...problem }: ShapeProblem, raw: RawCase): Problem {
  return { place: atKey ? raw.keyPlaceOf(path) : raw.placeOf(path), ...problem }
}

/** The allowed keys of a case type, built once per type. */
interface KeysOf {
  readonly top: Keys
  readonly harness: Keys
}

const harness = { is: 'any', describe: 'The setup of the case.' } as const

const keysWith = (type: CaseType | undefined): KeysOf => ({
  top: { ...commonKeys, ...type?.keys, harness },
  harness: { ...commonHarnessKeys, ...type?.harness },
})

const anyKeys = keysWith(undefined)
const keysByType = new WeakMap<CaseType, KeysOf>()

export function keysOf(type: CaseType | undefined): KeysOf {
  if (type === undefined) return anyKeys
  const known = keysByType.get(type) ?? keysWith(type)
  keysByType.set(type, known)
  return known
}

function checkTop(raw: RawCase, types: CaseTypes): ShapeProblem[] {
  const type = types.get(raw.type)
  const problems = checkKeys(raw.value, keysOf(type).top, '')
  if (type) return problems
  const known = problems.filter(({ code }) => code !== 'case.unknown_key')
  return raw.type.trim() === '' ? known : [strangeType(raw.type, [...types.keys()]), ...known]
}

function strangeType(type: string, known: readonly string[]): ShapeProblem {
  const meant = nearest(type, known)
  return {
    path: 'type',
    code: unknownType,
    category: 'runtime',
    message: `unknown spec-test type: ${type}`,
    hint: meant ? `Did you mean ${meant}?` : `Use one of ${known.join(', ')}.`,
  }
}

function checkHarness({ value }: RawCase, type: CaseType | undefined): ShapeProblem[] {
  const harness = value.get('harness') ?? (value.has('harness') ? null : new Map())
  if (!(harness instanceof Map)) return checkValue(harness, { mappingOf: 'any' }, 'harness')
  const problems = checkKeys(
    harness,
    keysOf(type).harness,
    'harness',
    name => `unsupported harness key(s): ${name}`,
  )
  return type ? problems : problems.filter(({ code }) => code !== 'case.unknown_key')
}

function checkAssertions({ value, type }: RawCase, known: CaseType | undefined): ShapeProblem[] {
  const assertions = value.get('assert')
  // `checkTop` already reports a value that is not a list.
  if (!Array.isArray(assertions)) return []
  const targets = known && [...known.targets, ...(known.targetsOf?.(value) ?? []), chainTarget]
  return checkAssert(assertions as readonly SpecValue[], { type, targets, joined: known?.joined })
}

/** Without `portable`, `expect` holds the same keys itself and must have `status`. */
function checkExpect(expect: SpecValue | undefined): ShapeProblem[] {
  if (!(expect instanceof Map) || expect.has('portable') || expect.has('status')) return []
  return [
    {
      path: 'expect',
      code: 'case.missing_key',
      message: 'missing required key: expect.portable',
      hint: 'Add the expected status: `portable: {status: pass}`.',
    },
  ]
}

/**
 * Ids are unique in a run, except those from headings, which are unique in their document. The
 * problem of a later case names the place of the first.
 */
export function duplicateIds(cases: readonly RawCase[]): ReadonlyMap<RawCase, Problem> {
  const known = new Map<string, RawCase>()
  const problems = new Map<RawCase, Problem>()
  for (const raw of cases) {
    if (raw.isIdDerived) continue
    const first = known.get(raw.id)
    if (!first) known.set(raw.id, raw)
    else problems.set(raw, duplicateId(raw, first))
  }
  return problems
}

const duplicateId = (raw: RawCase, first: RawCase): Problem => ({
  place: raw.placeOf('id'),
  code: 'case.duplicate_id',
  message: `duplicate id ${raw.id}: first used at ${placeName(first.placeOf('id'))}`,
  hint: 'Rename one of the two cases.',
})

/** Finds paths that leave their folder, before premath reads or writes a file. */
function checkPaths({ value, type }: Pick<RawCase, 'value' | 'type'>): ShapeProblem[] {
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

/** The shape check already reports blank text. */
const isBlank = (text: string) => text.trim() === ''

function setupFiles(value: SpecValue | undefined): ShapeProblem[] {
  const key = 'harness.setup_files'
  if (isMapping(value)) return refusal(setupPath(value), `${key}.path`, temporaryHint)
  if (!isList(value)) return []
  const read = value.map(setupPath)
  const paths = read.flatMap(one => (one && 'path' in one ? [one.path] : []))
  // Messages name list indices, which are wrong if an entry is missing.
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
  hint: 'Change one of the two paths.',
})

const temporaryHint = 'Name a file below the temporary folder of the case, such as in/rows.txt.'

function refusal(
  read: object | undefined,
  path: string,
  hint = contractHint,
  name = path,
): ShapeProblem[] {
  if (read === undefined || !('refused' in read)) return []
  return [{ path, code: 'case.path', message: `${name} ${read.refused}`, hint }]
}
