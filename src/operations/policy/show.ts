import { type Governed, governedPaths } from '../../kernel/governance/governed-document.ts'
import { entryBrief } from '../../kernel/governance/policy-entry.ts'
import {
  isGoverned,
  lastInForce,
  type PolicyLog,
  type Standing,
  standingOf,
} from '../../kernel/governance/policy-standing.ts'
import type { PolicyRegistry } from '../../kernel/instruction/instruction-policy.ts'
import { type InstructionRefusal, isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { openProject, type Project } from '../../project/open.ts'
import { digestInFile } from '../../project/policies/governed-files.ts'
import { instructionPolicies } from '../../project/policies/instruction-policies.ts'
import { type Fact, factsPage } from '../../render/titled-page.ts'
import { PolicyShowAnswer } from '../../wire/answers/policy.ts'
import { operation } from '../operation.ts'

export const policyShow = operation({
  group: 'project',
  summary: 'Show the policy and checks and whether they are in force.',
  description:
    'Shows the digests of .premath/policy.json and .premath/checks.json, the mode of each surface, whether scripts may override, and whether premath policy set put them in force, they were written by hand, or they differ from the version in force. It also lists the instruction policies, with the checks that each allows and requires. If governance is claimed, agents may change nothing under a version that is not in force, and people go by the version in force. Exits 5 if a file or the log is corrupt.',
  effect: 'read',
  opId: 'op/policy.show',
  input: {},
  output: PolicyShowAnswer,
  examples: {
    'premath policy show': 'digests, modes and operators',
    'premath policy show --json': 'the same as JSON',
  },

  async run(_input, context) {
    const project = await openProject(context)
    const { policy } = await project.writtenPolicy()
    const log = await project.policyLog()
    const documents = {
      policy: await shownOf('policy', log, project),
      checks: await shownOf('checks', log, project),
    }
    const isClaimed = isGoverned(log)
    const registry = await instructionPolicies(project.root, project)
    const listed = isRefused(registry) ? null : [...registry.values()]
    return {
      output: {
        action: 'policy.show',
        ...documents,
        governanceClaimed: isClaimed,
        instructionPolicies: listed,
        ...policy,
      },
      yes: true,
      render: page => {
        const facts: Fact[] = [
          ...Object.entries(policy.modes),
          ['override', policy.override ?? 'terminal'],
          ...factsOf('policy', documents.policy),
          ...factsOf('checks', documents.checks),
          ['governance', isClaimed ? 'claimed' : 'not claimed'],
          ...instructionFacts(registry),
        ]
        return factsPage('Policy', facts, page)
      },
    }
  },
})

async function shownOf(what: Governed, log: PolicyLog, project: Project) {
  const digest = await digestInFile(what, project)
  const last = lastInForce(what, log)
  return {
    digest: digest ?? null,
    inForce: last === undefined ? null : entryBrief(last),
    path: governedPaths[what],
    standing: digest === undefined ? null : standingOf(what, digest, log),
  }
}

function instructionFacts(registry: PolicyRegistry | InstructionRefusal): readonly Fact[] {
  if (isRefused(registry)) return [['instructions', `no policy counts: ${registry.message}`]]
  return [...registry.values()].flatMap(
    ({ policyId, policyDigest, allowedChecks, requiredChecks = [] }): readonly Fact[] => [
      ['instructions', `${policyId} ${policyDigest}`],
      ['may ask for', allowedChecks.join(', ')],
      ...(requiredChecks.length > 0 ? [['must ask for', requiredChecks.join(', ')] as const] : []),
    ],
  )
}

const words: Readonly<Record<Standing, string>> = {
  'in-force': 'put in force',
  'by-hand': 'written by hand, never put in force',
  edited: 'differs from the version in force; premath policy restore writes that back',
}

type Shown = Awaited<ReturnType<typeof shownOf>>

function factsOf(what: Governed, { digest, standing, inForce }: Shown): readonly Fact[] {
  return [
    [what, digest ?? 'none'],
    ...(standing === null ? [] : [['', words[standing]] as const]),
    ...(inForce === null
      ? []
      : [['in force', `${inForce.digest} by ${inForce.operator}: ${inForce.reason}`] as const]),
  ]
}
