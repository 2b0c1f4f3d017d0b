/** Which tool an `orchestration.run` case calls, and with what. */

import type { ShapeProblem } from '../case/check-shape.ts'
import { argvOf } from '../case/cli-command.ts'
import { wordFlaws } from '../case/command-flaws.ts'
import type { CaseValue, Keys } from '../case/key-shape.ts'
import { mappingIn, textsIn } from '../case/requires.ts'
import { timeCeilingMs } from '../case/time-limits.ts'
import type { ContractPath } from '../contract-path.ts'
import { numberOf } from '../lang/float.ts'

export interface ToolCall {
  readonly toolId: string
  readonly implementation: string
  readonly args: readonly string[]
  readonly capabilities: readonly string[]
  readonly timeoutMs: number
}

const ownImplementation = 'typescript'
const timeoutMsDefault = 30_000

export const orchestrationKeys: Keys = {
  tool_id: { is: 'name', describe: 'The name of the tool in the registry.', required: true },
  impl: {
    is: 'name',
    describe: `The implementation, whose registry is /docs/spec/tools/<impl>/tools_v1.yaml; default ${ownImplementation}.`,
  },
  args: { is: { list: 'scalar' }, describe: 'Arguments after those of the registry.' },
  capabilities: {
    is: { list: 'name' },
    describe: 'The capabilities that the case grants. That of the tool must be among them.',
  },
  timeout_ms: {
    is: { whole: { min: 1, max: timeCeilingMs } },
    describe: `Timeout in milliseconds for the tool and its children; default ${timeoutMsDefault}.`,
  },
}

const key = 'harness.orchestration'
const implementationName = /^[a-z0-9][a-z0-9_-]*$/

/** Called for a case of any shape. */
export function toolCallFlaws(value: CaseValue): readonly ShapeProblem[] {
  const given = mappingIn(mappingIn(value, 'harness'), 'orchestration')
  const impl = given.get('impl')
  const isName = typeof impl !== 'string' || implementationName.test(impl)
  return [...(isName ? [] : [badName]), ...wordFlaws(given.get('args'), `${key}.args`)]
}

/** It is a part of a path. */
const badName: ShapeProblem = {
  path: `${key}.impl`,
  code: 'case.value',
  message: `${key}.impl must be a word`,
  hint: 'Use small letters, digits, _ and -, such as typescript.',
}

/** The case must fit its tables. */
export function toolCall(value: CaseValue): ToolCall {
  const given = mappingIn(mappingIn(value, 'harness'), 'orchestration')
  return {
    toolId: String(given.get('tool_id')),
    implementation: String(given.get('impl') ?? ownImplementation),
    args: argvOf(given.get('args')),
    capabilities: textsIn(given, 'capabilities'),
    timeoutMs: numberOf(given.get('timeout_ms')) ?? timeoutMsDefault,
  }
}

export const toolRegistryPath = ({
  implementation,
}: Pick<ToolCall, 'implementation'>): ContractPath =>
  `/docs/spec/tools/${implementation}/tools_v1.yaml`
