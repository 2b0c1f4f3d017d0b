import type { Page } from '../../answer.ts'
import { textField } from '../../field.ts'
import { type PromotionFinding, promotionClasses } from '../../kernel/governance/promotion.ts'
import { allRead, isRefused, refused } from '../../kernel/instruction/instruction-refusal.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject, projectAt } from '../../project/open.ts'
import { resolvePath } from '../../project/paths.ts'
import {
  promotionEvidencePath,
  promotionFindingsOf,
} from '../../project/policies/promotion-evidence.ts'
import { smallDocument, Unreadable } from '../../project/small-document.ts'
import { classMessage, refusedInstruction } from '../../render/instruction-answer.ts'
import { titledPage } from '../../render/titled-page.ts'
import { GovernancePromotionCheckAnswer } from '../../wire/answers/policy.ts'
import { operation } from '../operation.ts'

export const governancePromotionCheck = operation({
  group: 'instruction',
  summary: 'Check the evidence for a change of governance policy.',
  description: `Checks evals with their lineage, adversarial tests and the other evidence of a promotion, if the project claims governance in .premath/capability-registry.json. The input is an object with the optional members repoRoot, promotionRequired and promotionEvidencePath; the defaults are PREMATH_GOVERNANCE_PROMOTION_REQUIRED, PREMATH_GOVERNANCE_PROMOTION_EVIDENCE and ${promotionEvidencePath}. Exits 0 if nothing is missing, 1 if something is, and 2 if the input cannot be read.`,
  effect: 'read',
  opId: 'op/policy.governance_promotion_check',
  input: {
    input: textField('file', 'The request as JSON; - reads stdin.', {
      document: true,
      required: true,
      path: true,
      mayBeBare: true,
    }),
  },
  output: GovernancePromotionCheckAnswer,
  examples: {
    'echo {} | premath governance-promotion-check --input - --json':
      'the missing evidence of the project',
  },

  async run({ input: path }, context) {
    const action = 'governance-promotion-check'
    const question = await questionIn(path, context)
    const findings = isRefused(question) ? question : await promotionFindingsOf(question)
    if (isRefused(findings)) return refusedInstruction(action, findings)
    const failureClasses = promotionClasses(findings)
    const [first] = findings
    return {
      output: {
        action,
        failureClasses,
        findings,
        result: findings.length === 0 ? 'accepted' : 'rejected',
      },
      yes: findings.length === 0,
      ...(first && { message: classMessage(first.failureClass, `${first.at} ${first.message}`) }),
      render: page => promotionPage(findings, page),
    }
  },
})

const bad = (why: string) => refused('governance_promotion_invalid', why)

async function questionIn(path: string, context: OperationContext) {
  const document = await smallDocument(path, context)
  if (document instanceof Unreadable) return bad(`${path}: ${document.why}`)
  if (!isJsonObject(document)) return bad(`${path}: must be an object`)
  const read = allRead({
    repoRoot: textIn(document, 'repoRoot'),
    evidencePath: textIn(document, 'promotionEvidencePath'),
    required: requiredIn(document['promotionRequired'], context),
  })
  if (isRefused(read)) return read
  const { repoRoot, evidencePath, required } = read
  const project =
    repoRoot === undefined
      ? await openProject(context)
      : projectAt(resolvePath(context.cwd(), repoRoot), context)
  const { root } = project
  if ((await context.files.kindOf(root)) !== 'folder')
    return bad(`repoRoot ${root} is not a folder`)
  const usual = context.env['PREMATH_GOVERNANCE_PROMOTION_EVIDENCE'] || undefined
  return { project, required, evidencePath: evidencePath ?? usual }
}

function textIn(document: JsonObject, name: string) {
  const value = document[name] ?? undefined
  if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return value
  return bad(`${name} is blank or not text`)
}

function requiredIn(value: Json | undefined, { env }: OperationContext) {
  if (typeof value === 'boolean') return value
  if (value !== undefined && value !== null) return bad('promotionRequired must be true or false')
  return /^(?:1|true|yes|on)$/i.test(env['PREMATH_GOVERNANCE_PROMOTION_REQUIRED']?.trim() ?? '')
}

function promotionPage(findings: readonly PromotionFinding[], page: Page): string {
  if (findings.length === 0) return `${page.ink('green', 'Nothing is missing')}\n`
  const lines = findings.map(({ failureClass, at, message }) => `${failureClass}: ${at} ${message}`)
  return titledPage(page.ink('red', 'Not promotable'), lines, page)
}
