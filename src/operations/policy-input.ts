/** Reads a policy or checks document and decides whether it can be put in force. */

import { type Answer, refusedAnswer } from '../answer.ts'
import { Fault } from '../fault.ts'
import { type Fields, textField } from '../field.ts'
import { type GovernedDocument, governedDocument } from '../kernel/governance/governed-document.ts'
import {
  type PromotionFinding,
  promotionClasses,
  promotionFindings,
} from '../kernel/governance/promotion.ts'
import { isRefused } from '../kernel/instruction/instruction-refusal.ts'
import type { Json } from '../kernel/json.ts'
import type { OperationContext } from '../project/context.ts'
import type { Project } from '../project/open.ts'
import { resolvePath } from '../project/paths.ts'
import { evidenceIn, promotionEvidencePath } from '../project/policies/promotion-evidence.ts'
import { parsedSmall, readSmall, Unreadable } from '../project/small-document.ts'
import { classMessage, refusedInstruction } from '../render/instruction-answer.ts'
import { titledPage } from '../render/titled-page.ts'

export const policyInputFields = {
  input: textField('file', 'The policy, checks or instruction as JSON; - reads stdin.', {
    document: true,
    required: true,
    path: true,
    mayBeBare: true,
  }),
  promotion: textField(
    'file',
    `The promotion evidence, if governance is claimed; default ${promotionEvidencePath}.`,
    { path: true },
  ),
} as const satisfies Fields

export interface PolicyInput extends GovernedDocument {
  /** As it was written. */
  readonly text: string
}

export async function readPolicyInput(
  path: string,
  context: OperationContext,
): Promise<PolicyInput> {
  const text = await readSmall(path, context)
  const value = text instanceof Unreadable ? text : await parsedSmall(text)
  if (text instanceof Unreadable || value instanceof Unreadable) throw unusable(path, whyOf(value))
  const read = governedDocument(value, context.sha256)
  if (typeof read === 'string') throw unusable(path, read)
  return { ...read, text }
}

const whyOf = (value: Json | Unreadable) => (value instanceof Unreadable ? value.why : '')

const unusable = (path: string, why: string) =>
  new Fault('invalid_input', `${path} cannot be put in force: ${why}`, {
    hint: 'premath schema premath.mutation_policy.v1 and premath schema premath.checks.v1 print what they are.',
    detail: { path },
  })

/** The evidence and what it lacks. No evidence is needed unless governance is claimed. */
interface PromotionAsked {
  readonly evidence: Json | undefined
  readonly findings: readonly PromotionFinding[]
}

/** The same decision as `governance-promotion-check`, for this document. */
export async function askPromotion(
  action: string,
  { digest }: GovernedDocument,
  promotion: string | undefined,
  project: Project,
): Promise<PromotionAsked | Answer<unknown>> {
  if (!(await project.isGoverned())) return { evidence: undefined, findings: [] }
  const { env, cwd, root } = project
  const usual = env['PREMATH_GOVERNANCE_PROMOTION_EVIDENCE'] || promotionEvidencePath
  const path = promotion === undefined ? project.at(usual) : resolvePath(cwd(), promotion)
  const evidence = await evidenceIn(path, root, project)
  if (isRefused(evidence)) return refusedInstruction(action, evidence)
  const registryClaims = await project.claims()
  const question = { evidence, required: true, registryClaims, boundTo: digest }
  return { evidence, findings: promotionFindings(question) }
}

/** The refusal of a promotion. */
export function notPromoted(
  action: string,
  { what, digest }: GovernedDocument,
  findings: readonly PromotionFinding[],
): Answer<unknown> {
  const [first] = findings
  const diagnostic = first ? `${first.at} ${first.message}` : `${what} ${digest} is not promoted`
  const answer = refusedAnswer(
    { action, digest, findings, what },
    {
      failureClasses: promotionClasses(findings),
      ...(first && { code: first.failureClass }),
      diagnostic,
      remedy: `Pass evidence with --promotion whose policyProvenance is bound to ${digest}.`,
    },
  )
  return {
    ...answer,
    ...(first && { message: classMessage(first.failureClass, diagnostic) }),
    render: page =>
      titledPage(
        page.ink('red', `Cannot be put in force: ${what} ${digest}`),
        findings.map(({ failureClass, at, message }) => `${failureClass}: ${at} ${message}`),
        page,
      ),
  }
}
