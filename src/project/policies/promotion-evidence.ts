/** The evidence of a promotion, as the project keeps it. */

import { type PromotionFinding, promotionFindings } from '../../kernel/governance/promotion.ts'
import {
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import type { Json } from '../../kernel/json.ts'
import type { OperationContext } from '../context.ts'
import { followLinks, resolvePath } from '../paths.ts'
import { registryClaims } from '../registry.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

export const promotionEvidencePath = 'artifacts/ciwitness/governance-promotion.json'

export interface PromotionPlace {
  readonly root: string
  /** From the root; the usual place when left out. */
  readonly evidencePath?: string | undefined
  readonly required: boolean
}

/**
 * What the project's evidence lacks, by the claims of the project's own registry. Evidence that
 * cannot be read is refused: it may lack anything.
 */
export async function promotionFindingsOf(
  { root, evidencePath = promotionEvidencePath, required }: PromotionPlace,
  context: OperationContext,
): Promise<readonly PromotionFinding[] | InstructionRefusal> {
  const claims = await registryClaims(context, root)
  const evidence = await evidenceIn(resolvePath(root, evidencePath), root, context)
  if (isRefused(evidence)) return evidence
  return promotionFindings({ evidence, required, registryClaims: claims })
}

/** The document; `undefined` where there is none. */
export async function evidenceIn(
  path: string,
  root: string,
  context: OperationContext,
): Promise<Json | undefined | InstructionRefusal> {
  if ((await context.files.kindOf(path)) === undefined) return undefined
  const { leadsOut } = await followLinks(path, root, await context.disk())
  const document = leadsOut
    ? new Unreadable('leaves the project through a symbolic link')
    : await smallDocument(path, context)
  if (!(document instanceof Unreadable)) return document
  return refused('governance_promotion_invalid', `${path}: ${document.why}`)
}
