import { refusedAnswer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { governedPaths } from '../../kernel/governance/governed-document.ts'
import { entryBrief, policyEntry } from '../../kernel/governance/policy-entry.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { visible } from '../../kernel/text/visible.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { askOverride } from '../../project/authority/override.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject, type Project } from '../../project/open.ts'
import { mustStayInside, resolvePath } from '../../project/paths.ts'
import { policyLogFile } from '../../project/policies/governed-files.ts'
import { PolicySetAnswer } from '../../wire/answers/policy.ts'
import { operation } from '../operation.ts'
import { isAgent, notForAgents, refusedIn } from '../people-only.ts'
import {
  askPromotion,
  notPromoted,
  type PolicyInput,
  policyInputFields,
  readPolicyInput,
} from '../policy-input.ts'

const action = 'policy.set'

export const policySet = operation({
  group: 'project',
  summary: 'Put a policy, checks or an instruction in force.',
  description:
    'Checks the document as premath policy check does, records the time, operator, reason and evidence in .premath/policy-log.jsonl, and writes .premath/policy.json or .premath/checks.json. If governance is claimed, agents may change nothing under a policy or checks that were not put in force this way. An instruction stays in its own file; agents may then act under it, also if it is not on the target branch. It asks at the terminal first. A script needs "override": "script" in the policy on the target branch. An agent under an instruction, the work of a step and an agent that the environment names may not run it. Exits 1 if evidence is missing.',
  effect: 'projection',
  opId: 'op/policy.set',
  input: {
    ...policyInputFields,
    reason: textField('text', 'The reason, for the record.', { required: true }),
  },
  output: PolicySetAnswer,
  examples: {
    "premath policy set --input policy.json --reason 'agents only by instruction'":
      'the digest now in force',
    "premath policy set --input .premath/checks.json --promotion evidence.json --reason 'tests are slower now'":
      'puts edited checks in force with evidence',
  },

  async run({ input, promotion, reason }, context) {
    const project = await openProject(context)
    if (isAgent(context)) return notForAgents(action, 'policy')
    if (reason.trim() === '') {
      throw new Fault('usage', 'a policy needs a reason', { hint: 'Record why with --reason.' })
    }
    const document = await readPolicyInput(input, context)
    const asked = await askPromotion(action, document, promotion, project)
    if ('output' in asked) return asked
    if (asked.findings.length > 0) return notPromoted(action, document, asked.findings)
    const question = `Put ${document.what} ${document.digest} in force?`
    const by = await askOverride({ what: 'change the policy', question }, project)
    if (isRefusal(by)) return refusedAnswer({ action }, refusedIn(by))
    const stamp = {
      operator: by.actor,
      uid: by.uid,
      reason: reason.trim(),
      at: timestampOf(context.clock.now()),
      evidence: asked.evidence,
    }
    const path = await placeOf(document, input, project)
    const log = await policyLogFile(project)
    const entry = await log.add(
      previous => policyEntry(document, stamp, previous, context.sha256),
      async () => {
        if (document.what !== 'instruction') await write(path, document, context)
      },
    )
    const { what, digest } = document
    return {
      output: {
        action,
        digest,
        entry: entryBrief(entry),
        failureClasses: [],
        path,
        result: 'accepted',
        what,
      },
      yes: true,
      render: () => `Put in force: ${what} ${digest}\n  ${visible(path)}\n`,
    }
  },
})

/** An instruction stays in its own file: the log has a copy. */
async function placeOf({ what }: PolicyInput, input: string, project: Project): Promise<string> {
  if (what === 'instruction') return resolvePath(project.cwd(), input)
  const path = project.at(governedPaths[what])
  await mustStayInside(path, project.root, await project.disk())
  return path
}

/** Keeps the original text, with its spacing and order. */
async function write(path: string, { text }: PolicyInput, context: OperationContext) {
  const disk = await context.disk()
  await disk.replace(await disk.realPath(path), new TextEncoder().encode(text))
}
