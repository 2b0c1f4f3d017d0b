/** Reads the evidence for a promotion of governance policy. */

import { type PromotionFinding, promotionFindings } from '../../kernel/governance/promotion.ts'
import {
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import type { Json } from '../../kernel/json.ts'
import type { OperationContext } from '../context.ts'
import type { Project } from '../open.ts'
import { followLinks } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

export const promotionEvidencePath = 'artifacts/ciwitness/governance-promotion.json'

interface PromotionQuestion {
  readonly project: Project
  /** Relative to the root; has a default. */
  readonly evidencePath?: string | undefined
  readonly required: boolean
}

/** The parts that the evidence lacks. Evidence that cannot be read is refused: it may lack any. */
export async function promotionFindingsOf({
  project,
  evidencePath = promotionEvidencePath,
  required,
}: PromotionQuestion): Promise<readonly PromotionFinding[] | InstructionRefusal> {
  const claims = await project.claims()
  const evidence = await evidenceIn(project.at(evidencePath), project.root, project)
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
