import { envelope } from '../../kernel/spec/assert/subject.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import {
  orchestrationKeys,
  type ToolCall,
  toolCall,
  toolCallFlaws,
  toolRegistryPath,
} from '../../kernel/spec/orchestration/tool-call.ts'
import {
  calledTool,
  readToolRegistry,
  type Tool,
} from '../../kernel/spec/orchestration/tool-registry.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { TimeSpan } from '../../world/time-span.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { type CaseHarness, isSpecErrorOf } from './case-harness.ts'
import { runCommand, withOutput } from './command-run.ts'
import { contractText } from './contract-text.ts'

const key = 'harness.orchestration'

/** Targets that show whether the tool failed. */
const exitTargets = ['exit_code', 'result_json', 'context_json']

/** Runs a tool of the registry and offers its result. A failed tool does not fail the case. */
export const orchestrationRun: CaseHarness = {
  type: 'orchestration.run',
  describe: 'Runs a tool of the tool registry and checks its result.',
  keys: {},
  harness: {
    orchestration: {
      is: { mapping: orchestrationKeys },
      describe: 'The tool and its arguments.',
      required: true,
    },
  },
  flaws: toolCallFlaws,
  targets: [...exitTargets, 'stdout', 'stderr'],
  files: value => [toolRegistryPath(toolCall(value))],

  async run({ value }, context) {
    const [problem] = toolCallFlaws(value)
    if (problem !== undefined) return { category: 'schema', ...problem }
    const call = toolCall(value)
    const tool = await toolIn(call, context)
    if (isSpecErrorOf(tool)) return tool
    const ended = await runTool(tool, call, context)
    if (isSpecErrorOf(ended)) return ended
    const { exit_code, stdout, stderr } = ended.data
    const lasting = lastingResult(tool, call, ended)
    return {
      byTarget: new Map<string, () => { readonly value: SpecValue }>([
        ['result_json', () => ({ value: new Map([...lasting, ...Object.entries(ended.times)]) })],
        ['stdout', () => ({ value: stdout })],
        ['stderr', () => ({ value: stderr })],
        ['exit_code', () => ({ value: exit_code })],
        ['context_json', () => ({ value: contextOf(tool, call, lasting, context) })],
      ]),
      ...(exit_code !== 0 && {
        overlooked: {
          targets: exitTargets,
          message: `the tool ${tool.toolId} exited with ${exit_code}, and no assertion looks at it`,
        },
      }),
    }
  },
}

async function toolIn(call: ToolCall, context: ExecutionContext): Promise<Tool | SpecError> {
  const path = `${key}.tool_id`
  const registryPath = toolRegistryPath(call)
  const found = await contractText(registryPath, context)
  if (!('text' in found)) {
    const why = 'refused' in found ? found.refused : found.unread
    const message = `the tool registry cannot be read: ${registryPath}: ${why}`
    return { category: 'schema', message, path, hint: 'Declare the tool there.' }
  }
  const registry = readToolRegistry(found.text, call)
  return 'category' in registry ? { ...registry, path } : calledTool(call, registry)
}

interface EndedTool {
  readonly data: { readonly exit_code: number; readonly stdout: string; readonly stderr: string }
  readonly times: Readonly<Record<string, SpecValue>>
}

async function runTool(
  { toolId, words }: Tool,
  { args, timeoutMs }: ToolCall,
  context: ExecutionContext,
): Promise<EndedTool | SpecError> {
  const { run, env, document } = context
  const { clock } = run.world
  const [program, ...first] = words
  const span = new TimeSpan(clock)
  const ended = await runCommand(
    {
      name: toolId,
      words: [program, ...first, ...args],
      cwd: document.root,
      env,
      stdin: '',
      timeoutMs,
      timeoutKey: `${key}.timeout_ms`,
    },
    context,
  )
  if (isSpecErrorOf(ended)) return { ...withOutput(ended, context), path: `${key}.tool_id` }
  const { exitCode, stdout, stderr } = ended
  return {
    data: { exit_code: exitCode, stdout, stderr },
    times: {
      started_at_utc: timestampOf(span.startedAt),
      ended_at_utc: timestampOf(span.endedAt),
      duration_ms: Math.floor(span.ms),
    },
  }
}

/** The part of the result that is the same in every run. */
const lastingResult = (
  { toolId }: Tool,
  { implementation }: ToolCall,
  { data }: EndedTool,
): ReadonlyMap<string, SpecValue> =>
  new Map<string, SpecValue>([
    ['status', data.exit_code === 0 ? 'pass' : 'fail'],
    ['tool_id', toolId],
    ['impl', implementation],
    ['data', new Map(Object.entries(data))],
    ['diagnostics', []],
    ['artifacts', []],
  ])

const contextOf = (
  { toolId, effectSymbol, subcommand }: Tool,
  { implementation }: ToolCall,
  value: SpecValue,
  { caseId }: ExecutionContext,
) =>
  envelope({
    profile: 'orchestration.run',
    version: 1,
    value,
    meta: {
      target: 'orchestration.run',
      case_id: caseId,
      tool_id: toolId,
      effect_symbol: effectSymbol,
    },
    context: { impl: implementation, subcommand },
  })
