/** Reads `harness.chain`: the cases that run before this one and the values taken from them. */
import type { ShapeProblem } from '../case/check-shape.ts'
import { mappingIn } from '../case/requires.ts'
import { isExternal } from '../contract-path.ts'
import type { RawCase } from '../document/raw-case.ts'
import type { SpecValue } from '../lang/value.ts'

export interface ChainExport {
  readonly name: string
  readonly fromTarget: string
  /** Keys and indices into the subject; empty for the whole subject. */
  readonly path: readonly string[]
  readonly required: boolean
}

export interface ChainStep {
  readonly id: string
  readonly ref: ChainRef
  readonly exports: readonly ChainExport[]
  readonly allowContinue: boolean
  /** Its path in the case, such as `harness.chain.steps[0]`. */
  readonly at: string
}

export interface Chain {
  readonly failFast: boolean
  /** True if its cases use one temporary folder. */
  readonly shareFolder: boolean
  readonly steps: readonly ChainStep[]
}

/** The chain must be valid. `undefined` if the case has none. */
export function chainOf({ value }: Pick<RawCase, 'value'>): Chain | undefined {
  const chain = mappingIn(value, 'harness').get('chain')
  if (!(chain instanceof Map)) return undefined
  const steps = stepsIn(chain).flatMap((step, index) => {
    const read = stepOf(step, `harness.chain.steps[${index}]`)
    return read ? [read] : []
  })
  const [failFast, shareFolder] = [chain.get('fail_fast'), chain.get('share_folder')]
  return { failFast: failFast !== false, shareFolder: shareFolder === true, steps }
}

type Mapping = ReadonlyMap<string, SpecValue>

function stepsIn(chain: Mapping): readonly Mapping[] {
  const steps = chain.get('steps')
  return Array.isArray(steps) ? steps.filter(step => step instanceof Map) : []
}

function stepOf(step: Mapping, at: string): ChainStep | undefined {
  const [id, text] = [step.get('id'), step.get('ref')]
  if (typeof id !== 'string' || typeof text !== 'string') return undefined
  const ref = parseChainRef(text)
  if ('refused' in ref) return undefined
  const exports = [...mappingIn(step, 'exports')].flatMap(([name, one]) =>
    one instanceof Map ? [exportOf(name, one)] : [],
  )
  return { id: id.trim(), ref, exports, allowContinue: step.get('allow_continue') === true, at }
}

function exportOf(name: string, value: Mapping): ChainExport {
  const path = value.get('path')
  return {
    name,
    fromTarget: String(value.get('from_target') ?? '').trim(),
    path: typeof path === 'string' ? path.split('.').filter(Boolean) : [],
    required: value.get('required') !== false,
  }
}

/** Checks that the key table cannot express. */
export function checkChain({ value }: Pick<RawCase, 'value'>): ShapeProblem[] {
  const chain = mappingIn(value, 'harness').get('chain')
  if (!(chain instanceof Map)) return []
  const known = new Set<string>()
  return stepsIn(chain).flatMap((step, index) => {
    const at = `harness.chain.steps[${index}]`
    const id = step.get('id')
    const isTwice = typeof id === 'string' && known.has(id.trim())
    if (typeof id === 'string') known.add(id.trim())
    return [
      ...(isTwice ? [flaw(`${at}.id`, `${at}.id must be unique, but ${id} is used twice`)] : []),
      ...checkRef(step, at),
      ...checkExports(step, at),
    ]
  })
}

function checkRef(step: Mapping, at: string): ShapeProblem[] {
  const text = step.get('ref')
  if (typeof text !== 'string' || text.trim() === '') return []
  const ref = parseChainRef(text)
  if ('refused' in ref) return [flaw(`${at}.ref`, `${at}.ref ${ref.refused}`)]
  if (ref.caseId !== undefined || mappingIn(step, 'exports').size === 0) return []
  const message = `${at}.exports requires a single case, but ref names a whole document`
  return [flaw(`${at}.exports`, message, 'Name the case: `path#case_id`.')]
}

function checkExports(step: Mapping, at: string): ShapeProblem[] {
  return [...mappingIn(step, 'exports')].flatMap(([name, one]) => {
    const path = one instanceof Map ? one.get('path') : undefined
    const where = `${at}.exports.${name}`
    return [
      ...(wordPattern.test(name) ? [] : [flaw(where, `${where}: a name consists of ${letters}`)]),
      ...(typeof path !== 'string' || pathPattern.test(path)
        ? []
        : [
            flaw(
              `${where}.path`,
              `${where}.path must be keys separated by dots, each of ${letters}`,
            ),
          ]),
    ]
  })
}

const letters = 'letters, digits and _ -'
const wordPattern = /^[\w-]+$/
const pathPattern = /^[\w-]+(?:\.[\w-]+)*$/

const flaw = (path: string, message: string, hint?: string): ShapeProblem => ({
  path,
  code: 'chain.shape',
  message,
  ...(hint !== undefined && { hint }),
})

/** Parses the reference of a chain step: `#case`, `path#case`, or `path` for all its cases. */
interface ChainRef {
  /** As written; absent for the same document. */
  readonly path?: string
  /** Absent for every case of the document. */
  readonly caseId?: string
}

function parseChainRef(text: string): ChainRef | { readonly refused: string } {
  const ref = text.trim()
  if (isExternal(ref)) return { refused: 'must not be an external reference' }
  const mark = ref.indexOf('#')
  const path = (mark === -1 ? ref : ref.slice(0, mark)).trim()
  const named = path === '' ? {} : { path }
  if (mark === -1) return path === '' ? { refused: 'must not be blank' } : named
  const caseId = ref.slice(mark + 1).trim()
  if (caseId === '') return { refused: 'has no case id after #' }
  if (!/^[A-Za-z0-9._:-]+$/.test(caseId)) {
    return { refused: 'must have a case id of letters, digits and . _ : - after #' }
  }
  return { ...named, caseId }
}
