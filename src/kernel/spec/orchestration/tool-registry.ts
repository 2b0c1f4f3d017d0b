/** The registry of tools of one implementation. */
import { nearest } from '../../text/nearest.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import type { CommandLine } from '../case/cli-command.ts'
import { wordFlaws } from '../case/command-flaws.ts'
import type { CaseValue, Keys } from '../case/key-shape.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { readRegistry } from '../registry.ts'
import { symbolProblem } from './effect-symbol.ts'
import { type ToolCall, toolRegistryPath } from './tool-call.ts'

export interface Tool {
  readonly toolId: string
  readonly effectSymbol: string
  readonly capabilityId: string
  /** The words before the arguments of the case. */
  readonly words: CommandLine
  /** Empty for a tool with a command of its own. */
  readonly subcommand: string
}

const toolKeys: Keys = {
  tool_id: { is: 'name', describe: 'The name of the tool.', required: true },
  effect_symbol: {
    is: 'name',
    describe: 'What it does: ops.<segment>.<segment>, with at least two segments.',
    required: true,
  },
  capability_id: {
    is: 'name',
    describe: 'The capability that a case must grant to call it.',
    required: true,
  },
  command: {
    is: { list: 'name', atLeast: 1 },
    describe: 'The program and its first arguments. It runs without a shell in the contract root.',
  },
  adapter_subcommand: {
    is: 'name',
    describe: 'Instead of a command: a subcommand of /scripts/runner_adapter.sh.',
  },
  input_schema_ref: { is: 'text', describe: 'The schema of its arguments, for readers.' },
  output_schema_ref: { is: 'text', describe: 'The schema of its output, for readers.' },
  stability: { is: 'text', describe: 'How stable it is, for readers.' },
  since: { is: 'any', describe: 'When it was added, for readers.' },
}

const registryKeys: Keys = {
  version: { is: { whole: { min: 1, max: 1 } }, describe: 'The version: 1.', required: true },
  implementation: { is: 'name', describe: 'The implementation, as in the path.', required: true },
  tools: { is: { list: { mapping: toolKeys } }, describe: 'The tools.', required: true },
}

type Called = Pick<ToolCall, 'implementation'>

export interface ToolRegistry {
  readonly byId: ReadonlyMap<string, Tool>
}

export function readToolRegistry(text: string, called: Called): ToolRegistry | SpecError {
  const value = readRegistry(text, {
    path: toolRegistryPath(called),
    keys: registryKeys,
    problems: given => [...implementationProblems(given, called), ...toolProblems(toolsIn(given))],
  })
  if ('category' in value) return value
  const tools = toolsIn(value).map(one => toolOf(one, called))
  return { byId: new Map(tools.map(one => [one.toolId, one])) }
}

function toolsIn(value: CaseValue): readonly CaseValue[] {
  const tools = value.get('tools')
  return isList(tools) ? tools.filter(isMapping) : []
}

function implementationProblems(value: CaseValue, { implementation }: Called): ShapeProblem[] {
  const stated = value.get('implementation')
  if (stated === implementation) return []
  const message = `implementation is ${stated}, but the registry is that of ${implementation}`
  return [{ path: 'implementation', code: 'registry.value', message, hint: 'Correct one of them.' }]
}

function toolProblems(tools: readonly CaseValue[]): ShapeProblem[] {
  const first = new Map<SpecValue | undefined, number>()
  return tools.flatMap((tool, index) => {
    const path = `tools[${index}]`
    const id = tool.get('tool_id')
    const other = first.get(id)
    first.set(id, other ?? index)
    return [
      ...(other === undefined ? [] : [repeated(`${path}.tool_id`, String(id), other)]),
      ...symbolProblems(tool, `${path}.effect_symbol`),
      ...commandProblems(tool, path),
    ]
  })
}

const repeated = (path: string, id: string, other: number): ShapeProblem => ({
  path,
  code: 'registry.duplicate',
  message: `${path} repeats ${id} of tools[${other}]`,
  hint: 'Rename one of the two tools.',
})

function symbolProblems(tool: CaseValue, path: string): ShapeProblem[] {
  const problem = symbolProblem(String(tool.get('effect_symbol')))
  return problem === undefined ? [] : [{ path, code: 'registry.effect_symbol', ...problem }]
}

function commandProblems(tool: CaseValue, path: string): ShapeProblem[] {
  const given = ['command', 'adapter_subcommand'].filter(key => tool.has(key))
  if (given.length === 1) return [...wordFlaws(tool.get('command'), `${path}.command`)]
  const message = `${path} must have either command or adapter_subcommand`
  const hint = 'Write the program and its arguments: `command: [node, tool.mjs]`.'
  return [{ path, code: 'registry.command', message, hint }]
}

function toolOf(tool: CaseValue, { implementation }: Called): Tool {
  const command = tool.get('command')
  const subcommand = String(tool.get('adapter_subcommand') ?? '')
  const adapter = ['scripts/runner_adapter.sh', '--impl', implementation, subcommand]
  const [program = '', ...args] = isList(command) ? command.map(String) : adapter
  return {
    toolId: String(tool.get('tool_id')),
    effectSymbol: String(tool.get('effect_symbol')),
    capabilityId: String(tool.get('capability_id')),
    words: [program, ...args],
    subcommand,
  }
}

/** The declared tool, if the case grants its capability. */
export function calledTool(call: ToolCall, { byId }: ToolRegistry): Tool | SpecError {
  const { toolId, capabilities } = call
  const tool = byId.get(toolId)
  if (tool === undefined) {
    const meant = nearest(toolId, [...byId.keys()])
    const message = `ORCHESTRATION_OPS_REGISTRY_DECLARED_REQUIRED: ${toolRegistryPath(call)} declares no tool ${toolId}`
    const hint = meant ? `Did you mean ${meant}?` : 'Add the tool to the registry.'
    return { category: 'schema', message, path: 'harness.orchestration.tool_id', hint }
  }
  const { capabilityId } = tool
  if (capabilities.includes(capabilityId)) return tool
  const path = 'harness.orchestration.capabilities'
  const message = `ORCHESTRATION_OPS_CAPABILITY_BINDING_REQUIRED: the tool ${toolId} needs the capability ${capabilityId}`
  return {
    category: 'schema',
    message,
    path,
    hint: `Grant it: \`capabilities: [${capabilityId}]\`.`,
  }
}
