import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { prettyAsOrdered } from '../../kernel/canonical.ts'
import { checksPath } from '../../kernel/instruction/checks.ts'
import { checkEnvelope } from '../../kernel/instruction/envelope.ts'
import type {
  PolicyRegistry,
  RegisteredPolicy,
} from '../../kernel/instruction/instruction-policy.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import {
  checksToRequest,
  issueInstruction,
  newInstructionId,
} from '../../kernel/instruction/new-instruction.ts'
import { issueNotFound } from '../../kernel/issues/issue-refusal.ts'
import { visible } from '../../kernel/text/visible.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { textOnTarget } from '../../project/authority/on-target.ts'
import { openProject, type Project } from '../../project/open.ts'
import { mustStayInside } from '../../project/paths.ts'
import { instructionPolicies } from '../../project/policies/instruction-policies.ts'
import { checkCommands } from '../../project/policies/required-checks.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { InstructionNewAnswer } from '../../wire/answers/instruction.ts'
import { operation } from '../operation.ts'
import { isAgent, notForAgents } from '../people-only.ts'
import { policySet } from '../policy/set.ts'
import { readIssueMemory } from '../read-issues.ts'

const action = 'instruction.new'
const folder = 'instructions'

export const instructionNew = operation({
  group: 'instruction',
  summary: 'Write an instruction that lets an agent work on an issue.',
  description: `Writes ${folder}/<time>-<issue>.json. Its entries for claiming the issue, renewing and releasing the lease, and comments are standing; an update and the close are allowed once each. It asks for the checks that the policy requires, or else for those allowed ones that have a command in ${checksPath}. In a git repository an instruction counts if it is in the commit of the target branch, or if a person put it in force: the command does so at a terminal, as premath policy set does, and otherwise says how. Then the agent, or you, run its checks with premath instruction-run. For people only: an agent, an instruction and the work of a step are refused.`,
  effect: 'projection',
  opId: 'op/instruction.new',
  input: {
    issue: textField('id', 'The issue that the agent works on.', {
      required: true,
      names: 'issue',
    }),
    intent: textField('text', 'What the agent is to do. Defaults to the title of the issue.'),
    policy: textField(
      'id',
      'The instruction policy, by its id or digest. Needed if there are several.',
    ),
    check: textField('id', 'A check that has to pass, instead of the usual ones.', { many: true }),
    reason: textField('text', 'Why it is put in force, for the record. Defaults to the intent.'),
    ...memoryFields,
  },
  output: InstructionNewAnswer,
  examples: {
    'premath instruction new --issue bd-1': 'the file, its id and what to do next',
    'premath instruction new --issue bd-1 --check test --json': 'the same as JSON, with one check',
  },

  async run({ issue: issueId, check, reason, issues, ...input }, context) {
    if (isAgent(context)) return notForAgents(action, 'list of instructions')
    const project = await openProject(context)
    const { memory, issuesPath } = await readIssueMemory(project, { issues })
    const issue = memory.get(issueId)
    if (!issue) return rejected(action, issuesPath, issueNotFound(issueId, memory))
    const registry = await instructionPolicies(project.root, context)
    if (isRefused(registry)) return refusedInstruction(action, registry)
    const policy = policyIn(registry, input.policy)
    const requestedChecks = check.length > 0 ? check : await usualChecks(policy, project)
    const intent = (input.intent ?? `Work on ${issueId}: ${issue.title}`).trim()
    const document = issueInstruction({ issueId, intent, requestedChecks }, policy)
    const checked = checkEnvelope(document, registry, context.sha256)
    if (isRefused(checked)) return refusedInstruction(action, checked)
    const { instructionId, path } = await write(document, issueId, project)
    const isInForce = await putInForce(path, reason ?? intent, project)
    return answerOf({
      instructionId,
      instructionDigest: checked.instructionDigest,
      issueId,
      path,
      policyId: policy.policyId,
      requestedChecks,
      inForce: isInForce,
      next: [
        ...(isInForce ? [] : [`premath policy set --input ${path} --reason <why>`]),
        `premath instruction-run --instruction ${path}`,
      ],
    })
  },
})

interface Written {
  readonly instructionId: string
  readonly instructionDigest: string
  readonly issueId: string
  readonly path: string
  readonly policyId: string
  readonly requestedChecks: readonly string[]
  readonly inForce: boolean
  readonly next: readonly string[]
}

function answerOf(written: Written): Answer<unknown> {
  const { path, instructionId, inForce, next } = written
  return {
    output: { action, result: 'written', ...written },
    yes: true,
    render: () =>
      [
        `Wrote ${visible(path)}${inForce ? ', which counts' : ', which does not count yet'}`,
        ...next.map(command => `  next: ${visible(command)}`),
        `  then the agent acts under it: --instruction ${visible(instructionId)}, instructionId over MCP, or PREMATH_INSTRUCTION_ID`,
        '',
      ].join('\n'),
  }
}

function policyIn(registry: PolicyRegistry, asked: string | undefined): RegisteredPolicy {
  const all = [...registry.values()]
  const found = all.filter(
    ({ policyId, policyDigest }) => asked === undefined || [policyId, policyDigest].includes(asked),
  )
  const [only] = found
  if (only && found.length === 1) return only
  const names = all.map(({ policyId }) => policyId).join(', ')
  const few = all.length === 0 ? 'no instruction policy' : 'several instruction policies'
  const why =
    asked === undefined
      ? `the project has ${few}`
      : `there is no instruction policy ${JSON.stringify(asked)}`
  throw new Fault('usage', why, {
    hint:
      names === '' ? 'Write one in policies/instruction/.' : `Name one with --policy: ${names}.`,
  })
}

async function usualChecks(policy: RegisteredPolicy, project: Project): Promise<readonly string[]> {
  const commands = await checkCommands(project)
  const checks = checksToRequest(policy, check => commands.has(check))
  if (checks.length > 0) return checks
  const { policyId, allowedChecks } = policy
  const [first = 'test'] = allowedChecks.includes('test') ? ['test'] : allowedChecks
  const example = { schema: 1, checksKind: 'premath.checks.v1', checks: { [first]: 'npm test' } }
  throw new Fault('usage', `no check of ${policyId} has a command, so none could pass`, {
    hint: `Say in ${checksPath} which command one of them is: ${allowedChecks.join(', ')}. For example: ${JSON.stringify(example)}`,
    detail: { policyId },
  })
}

/** A second instruction in the same second gets another name. */
async function write(document: object, issueId: string, project: Project) {
  const disk = await project.disk()
  const stem = newInstructionId(issueId, timestampOf(project.clock.now()))
  await mustStayInside(project.at(folder), project.root, disk)
  await disk.makeFolder(project.at(folder))
  for (let count = 1; ; count += 1) {
    const instructionId = count === 1 ? stem : `${stem}-${count}`
    const path = `${folder}/${instructionId}.json`
    if (await disk.entry(project.at(path))) continue
    const text = `${prettyAsOrdered(document as never)}\n`
    await disk.replace(project.at(path), new TextEncoder().encode(text))
    return { instructionId, path }
  }
}

/** Without a target the file counts as it is. Whoever declines the question commits it instead. */
async function putInForce(path: string, reason: string, project: Project): Promise<boolean> {
  if ((await textOnTarget(path, project)) === undefined) return true
  const input = { input: project.at(path), promotion: undefined, reason }
  const set = await policySet.run(input, project)
  return 'yes' in set && set.yes
}
