import type { Page } from '../../answer.ts'
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
import { classTalk, refusedAnswer } from '../../render/instruction-answer.ts'
import { titledPage } from '../../render/titled-page.ts'
import { operation } from '../operation.ts'

export const governancePromotionCheck = operation({
  group: 'instruction',
  summary: 'Check that a change of governance policy has the evidence it needs.',
  description: `Asks for evals with their lineage, for adversarial tests, and for all else that a promotion has to show, where the project claims governance in .premath/capability-registry.json. The input is an object with repoRoot, promotionRequired and promotionEvidencePath, each of which may be left out; then PREMATH_GOVERNANCE_PROMOTION_REQUIRED, PREMATH_GOVERNANCE_PROMOTION_EVIDENCE and ${promotionEvidencePath} count. Exits 0 when nothing is missing, 1 when something is and 2 when the input cannot be read.`,
  effect: 'read',
  input: {
    input: {
      type: 'text',
      describe: 'What is asked, as JSON; - reads standard input.',
      placeholder: 'file',
      required: true,
      path: true,
    },
  },
  examples: [
    {
      command: 'echo {} | premath governance-promotion-check --input - --json',
      shows: 'what the project’s evidence lacks',
    },
  ],

  async run({ input: path }, context) {
    const action = 'governance-promotion-check'
    const question = await questionIn(path, context)
    const findings = isRefused(question) ? question : await promotionFindingsOf(question)
    if (isRefused(findings)) return refusedAnswer(action, findings)
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
      ...(first && { talk: classTalk(first.failureClass, `${first.at} ${first.message}`) }),
      render: page => promotionPage(findings, page),
    }
  },
})

const bad = (why: string) => refused('governance_promotion_invalid', why)

async function questionIn(path: string, context: OperationContext) {
  const document = await smallDocument(path, context)
  if (document instanceof Unreadable) return bad(`${path}: ${document.why}`)
  if (!isJsonObject(document)) return bad(`${path}: it is not an object`)
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
  if ((await context.files.kindOf(root)) !== 'folder') return bad(`repoRoot ${root} is no folder`)
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
  if (value !== undefined && value !== null) return bad('promotionRequired is not true or false')
  return /^(?:1|true|yes|on)$/i.test(env['PREMATH_GOVERNANCE_PROMOTION_REQUIRED']?.trim() ?? '')
}

function promotionPage(findings: readonly PromotionFinding[], page: Page): string {
  if (findings.length === 0) return `${page.ink('green', 'Nothing is missing')}\n`
  const lines = findings.map(({ failureClass, at, message }) => `${failureClass}: ${at} ${message}`)
  return titledPage(page.ink('red', 'Not to be promoted'), lines, page)
}
