/** The operations as tools and resources of the MCP server. */
import { newInstruction } from '../kernel/authority/operator-grant.ts'
import { inputSchemaOf } from '../mcp/input-schema.ts'
import type { Resource, Tool, ToolHost } from '../mcp/tool-host.ts'
import { answerOrErrorSchema } from '../wire/answers/answer-schema.ts'
import { type Exposed, exposed, namesOfFields } from './exposed.ts'
import { operations } from './index.ts'

/** The loop of an agent. Hosts that load tools on demand have these at once. */
const loop = ['prime', 'issue_ready', 'issue_claim_next', 'issue_show', 'spec_run', 'issue_close']

/** These only add something. */
const additive = [
  'dep_add',
  'harness_trajectory_append',
  'init_tool',
  'instruction_run',
  'issue_add',
  'issue_claim',
  'issue_claim_next',
  'issue_comment',
  'issue_discover',
  'issue_lease_renew',
  'spec_run',
]

/** To call one of these again changes nothing more. */
const idempotent = ['init_tool', 'issue_claim', 'issue_close']

export const instructions = [
  'premath keeps the issues of this project, and closes one only when its checks passed.',
  'Work in this order: prime tells what is going on; issue_ready lists what can be done; issue_claim_next gives you an issue under a lease; do the work; spec_run checks it; issue_close takes the work and queues its close: premath verifies the work in a clean checkout and puts it on the target branch as one commit, so do not commit it yourself; issue_show tells when the issue is closed, or why not.',
  'Found more work: issue_discover. Have something to say: issue_comment.',
  'A refused call changes nothing: failureClasses says why, and remedy says what to do next.',
  `Changes need an accepted instruction: give its id as instructionId. A person writes one: ${newInstruction()}. instruction_run accepts it.`,
  'An update and a close also need the witness of a closed turn: harness_join_check with writeWitness.',
].join('\n')

export const resources: readonly Resource[] = [
  {
    uri: 'premath://session',
    name: 'session',
    title: 'The session',
    description: 'The state of the work: issue, summary and next step.',
  },
  {
    uri: 'premath://ready',
    name: 'ready',
    title: 'Ready issues',
    description: 'The issues that can be done now, most urgent first.',
  },
]

export const resourceTemplates: readonly Resource[] = [
  {
    uri: 'premath://issue/{id}',
    name: 'issue',
    title: 'An issue',
    description: 'An issue with its lease, its dependencies and its last failure.',
  },
]

const resourceTools: Readonly<Record<string, string>> = {
  'premath://session': 'harness_session_read',
  'premath://ready': 'issue_ready',
}

export const resourceCall: ToolHost['resourceCall'] = uri => {
  const name = Object.hasOwn(resourceTools, uri) ? resourceTools[uri] : undefined
  if (name !== undefined) return { name, args: {} }
  const [, id] = /^premath:\/\/issue\/(.+)$/.exec(uri) ?? []
  return id === undefined ? undefined : { name: 'issue_show', args: { id } }
}

export const exposedTool = (name: string): Exposed | undefined =>
  exposed.find(({ tool }) => tool === name)

export async function allTools(): Promise<readonly Tool[]> {
  return await Promise.all(exposed.map(toolOf))
}

async function toolOf(entry: Exposed): Promise<Tool> {
  const { tool: name, command, fixed } = entry
  const load = operations[command]
  if (!load) throw new Error(`${command} is exposed and does not exist`)
  const { summary, description, input, output, effect } = await load()
  const isReadOnly = effect === 'read'
  return {
    name,
    title: summary.replace(/\.$/, ''),
    description: description === undefined ? summary : `${summary} ${description}`,
    inputSchema: inputSchemaOf(input, { names: namesOfFields(entry), fixed }),
    outputSchema: answerOrErrorSchema(output),
    isReadOnly,
    isDestructive: !isReadOnly && !additive.includes(name),
    isIdempotent: isReadOnly || idempotent.includes(name),
    isAlwaysLoaded: loop.includes(name),
  }
}
