/** The kernel's gate with the hash and the schema checker of this process. */
import type { Sha256 } from '../../kernel/canonical.ts'
import type { Json } from '../../kernel/json.ts'
import { type Judgement, judgeTurn } from '../../kernel/turn/judge.ts'
import { normalizeTurn } from '../../kernel/turn/normalize.ts'
import type { Kit } from '../../kernel/turn/rules/rule.ts'
import type { Turn } from '../../kernel/turn/turn.ts'
import type { OperationContext } from '../context.ts'

export interface Gate {
  /** Synchronous, unless the schema checker has to be loaded first. */
  judge(input: Json, more?: Partial<Kit>): Judgement | Promise<Judgement>
  readonly sha256: Sha256
}

/** The schema checker is loaded when the first input needs it. */
export function openGate({ sha256 }: OperationContext, registryClaims: readonly string[]): Gate {
  let kit: Kit = { sha256, registryClaims }
  let checksSchemas = false
  const judge = (input: Json, more: Partial<Kit> = {}) => {
    const turn = normalizeTurn(input, { ...kit, ...more })
    if (checksSchemas || !needsSchemas(turn)) return judgeTurn(turn, { ...kit, ...more })
    return import('./schema-complaints.ts').then(({ schemaComplaints }) => {
      kit = { ...kit, schemaComplaints }
      checksSchemas = true
      return judgeTurn(turn, { ...kit, ...more })
    })
  }
  return { judge, sha256 }
}

const needsSchemas = ({ argumentsOf, callSpec }: Turn) =>
  argumentsOf.length > 0 &&
  (callSpec.toolPolicy?.tools?.some(tool => tool.inputSchema !== undefined) ?? false)
