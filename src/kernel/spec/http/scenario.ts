/** The life cycle of a service that a case starts: its commands, and how to tell that it is ready. */

import { commandWords } from '../case/cli-command.ts'
import type { Keys, ValueShape } from '../case/key-shape.ts'
import { mappingIn } from '../case/requires.ts'
import { timeCeilingMs } from '../case/time-limits.ts'
import { numberOf } from '../lang/float.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { textOf } from './http-text.ts'

type Mapping = ReadonlyMap<string, SpecValue>

const milliseconds: ValueShape = { whole: { min: 1, max: timeCeilingMs } }

const commandKeys: Keys = {
  command: {
    is: { either: ['name', { list: 'name', atLeast: 1 }] },
    required: true,
    describe: 'The command, as a line or a list of words. It runs without a shell.',
  },
  cwd: { is: 'name', describe: 'Its working folder; default the contract root.' },
  env: { is: { mappingOf: 'scalar' }, describe: 'Environment variables; null removes one.' },
  timeout_ms: {
    is: milliseconds,
    describe: 'Timeout of a command that runs to its end; default 30000.',
  },
}

export const scenarioKeys: Keys = {
  fail_fast: { is: 'flag', describe: 'Fail when a request cannot be sent; default true.' },
  setup: {
    is: {
      mapping: {
        ...commandKeys,
        ready_probe: {
          is: {
            mapping: {
              url: { is: 'name', required: true, describe: 'The address to ask.' },
              method: { is: 'name', describe: 'The method; default GET.' },
              expect_status_in: {
                is: { list: { whole: { min: 100, max: 599 } }, atLeast: 1 },
                describe: 'The statuses of a service that is ready; default [200, 204].',
              },
              timeout_ms: { is: milliseconds, describe: 'How long to ask; default 10000.' },
              interval_ms: {
                is: milliseconds,
                describe: 'The time between questions; default 200.',
              },
            },
          },
          describe: 'Run the command in the background, and ask until it answers.',
        },
        ready_output: {
          is: {
            mapping: {
              regex: { is: 'name', required: true, describe: 'Matches one line of its output.' },
              as: {
                is: 'name',
                describe: 'The name under which {{name}} stands for the first group, such as port.',
              },
              timeout_ms: { is: milliseconds, describe: 'How long to wait; default 10000.' },
            },
          },
          describe: 'Run the command in the background, and wait until it prints a line.',
        },
      },
    },
    describe: 'A command that runs before the first request.',
  },
  teardown: {
    is: { mapping: commandKeys },
    describe: 'A command that runs after the last request, whatever happened.',
  },
}

export const scenarioPath = 'harness.api_http.scenario'

/** A command of the life cycle. */
export interface LifeCommand {
  /** Its path in the case. */
  readonly path: string
  readonly words: readonly [program: string, ...args: string[]]
  /** A path below the contract root; blank for the root. */
  readonly cwd: string
  readonly env: ReadonlyMap<string, string | null>
  readonly timeoutMs: number
}

export interface ReadyProbe {
  readonly url: string
  readonly method: string
  readonly statuses: readonly number[]
  readonly timeoutMs: number
  readonly intervalMs: number
}

export interface ReadyOutput {
  readonly regex: string
  readonly as: string | undefined
  readonly timeoutMs: number
}

export interface SetupCommand extends LifeCommand {
  readonly probe: ReadyProbe | undefined
  readonly output: ReadyOutput | undefined
}

/** Names by which requests refer to values of the service: `{{port}}`. */
export type ServiceValues = ReadonlyMap<string, string>

const commandMsDefault = 30_000
const readyMsDefault = 10_000
const intervalMsDefault = 200

/** The shape must be valid. `undefined` without a set-up. */
export function setupIn(scenario: Mapping): SetupCommand | SpecError | undefined {
  const setup = scenario.get('setup')
  if (!isMapping(setup)) return undefined
  const command = commandIn(setup, `${scenarioPath}.setup`)
  if ('category' in command) return command
  const output = outputIn(setup)
  if (output !== undefined && 'category' in output) return output
  return { ...command, probe: probeIn(setup), output }
}

export function teardownIn(scenario: Mapping): LifeCommand | SpecError | undefined {
  const teardown = scenario.get('teardown')
  return isMapping(teardown) ? commandIn(teardown, `${scenarioPath}.teardown`) : undefined
}

function commandIn(value: Mapping, path: string): LifeCommand | SpecError {
  const given = value.get('command') ?? ''
  const words = isList(given) ? given.map(textOf) : commandWords(textOf(given))
  const refused = (why: string): SpecError => ({
    category: 'schema',
    message: `${path}.command ${why}`,
    path: `${path}.command`,
  })
  if ('refused' in words) return refused(words.refused)
  const [program = '', ...args] = words
  if (program === '') return refused('must name a program')
  const [flawed] = [...words, ...[...mappingIn(value, 'env').values()].map(textOf)].filter(one =>
    one.includes('\0'),
  )
  if (flawed !== undefined) return refused('and its env must not contain a NUL character')
  return {
    path,
    words: [program, ...args],
    cwd: textOf(value.get('cwd')),
    env: new Map(
      [...mappingIn(value, 'env')].map(([name, one]) => [name, one === null ? null : textOf(one)]),
    ),
    timeoutMs: numberOf(value.get('timeout_ms')) ?? commandMsDefault,
  }
}

function probeIn(setup: Mapping): ReadyProbe | undefined {
  const probe = setup.get('ready_probe')
  if (!isMapping(probe)) return undefined
  const statuses = probe.get('expect_status_in')
  return {
    url: textOf(probe.get('url')).trim(),
    method: (textOf(probe.get('method')) || 'GET').toUpperCase(),
    statuses: isList(statuses) ? statuses.flatMap(one => numberOf(one) ?? []) : [200, 204],
    timeoutMs: numberOf(probe.get('timeout_ms')) ?? readyMsDefault,
    intervalMs: numberOf(probe.get('interval_ms')) ?? intervalMsDefault,
  }
}

/** The first words of other templates. */
const takenNames = ['steps', 'chain', 'var']

function outputIn(setup: Mapping): ReadyOutput | SpecError | undefined {
  const output = setup.get('ready_output')
  if (!isMapping(output)) return undefined
  const as = output.get('as')
  const name = typeof as === 'string' ? as.trim() : undefined
  if (name !== undefined && (!/^[A-Za-z_][\w-]*$/.test(name) || takenNames.includes(name))) {
    const path = `${scenarioPath}.setup.ready_output.as`
    const message = `${path} must be a name of letters, digits, _ and -, and none of ${takenNames.join(', ')}`
    return { category: 'schema', message, path }
  }
  return {
    regex: textOf(output.get('regex')),
    as: name,
    timeoutMs: numberOf(output.get('timeout_ms')) ?? readyMsDefault,
  }
}

/** The name of the port that the runner reserves. */
export const portName = 'port'

export const scenarioIn = (value: Mapping): Mapping =>
  mappingIn(mappingIn(mappingIn(value, 'harness'), 'api_http'), 'scenario')

/** True if the case refers to a port that its service does not print. */
export function needsPort(value: Mapping): boolean {
  const setup = mappingIn(scenarioIn(value), 'setup')
  if (setup.size === 0 || mappingIn(setup, 'ready_output').get('as') === portName) return false
  return ['harness', 'request', 'requests'].some(key => mentions(value.get(key), portName))
}

const template = (name: string) => new RegExp(`\\{\\{\\s*${name}\\s*\\}\\}`, 'g')

function mentions(value: SpecValue | undefined, name: string): boolean {
  if (typeof value === 'string') return template(name).test(value)
  if (isList(value)) return value.some(one => mentions(one, name))
  return isMapping(value) && [...value.values()].some(one => mentions(one, name))
}

/** Replaces the names of values in every text. Any other template stays as it is. */
export function withServiceValues<T extends SpecValue>(value: T, values: ServiceValues): T
export function withServiceValues(value: SpecValue, values: ServiceValues): SpecValue {
  if (values.size === 0) return value
  if (typeof value === 'string') {
    // One pass, so that inserted text is never expanded again.
    return value.replace(
      /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/g,
      (whole, name) => values.get(name) ?? whole,
    )
  }
  if (isList(value)) return value.map(one => withServiceValues(one, values))
  if (!isMapping(value)) return value
  return new Map([...value].map(([key, one]) => [key, withServiceValues(one, values)]))
}
