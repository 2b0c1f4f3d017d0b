/** Parses the reference of a chain step: `#case`, `path#case`, or `path` for all its cases. */
import { isExternal } from '../contract-path.ts'

export interface ChainRef {
  /** As written; absent for the same document. */
  readonly path?: string
  /** Absent for every case of the document. */
  readonly caseId?: string
}

export function parseChainRef(text: string): ChainRef | { readonly refused: string } {
  const ref = text.trim()
  if (isExternal(ref)) return { refused: 'must not be an external reference' }
  const mark = ref.indexOf('#')
  const path = (mark === -1 ? ref : ref.slice(0, mark)).trim()
  const named = path === '' ? {} : { path }
  if (mark === -1) return path === '' ? { refused: 'must not be blank' } : named
  const caseId = ref.slice(mark + 1).trim()
  if (caseId === '') return { refused: 'names no case behind its #' }
  if (!/^[A-Za-z0-9._:-]+$/.test(caseId)) {
    return { refused: 'must name a case of letters, digits and . _ : - behind its #' }
  }
  return { ...named, caseId }
}
