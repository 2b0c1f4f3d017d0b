/** Flags of `spec run` that select, repeat and explain cases. */
import { Fault } from '../fault.ts'
import { countField, type Fields, flagField, type InputOf, textField } from '../field.ts'
import { readShard, type Shard } from '../kernel/spec/shard.ts'
import type { OperationContext } from '../project/context.ts'
import type { Recording } from '../runner/case-record.ts'
import { readVariables, variableFields } from './spec-variables.ts'

/** Guards against typing errors. */
const timesMax = 10_000

export const runFlagFields = {
  ...variableFields,
  failed: flagField('Run only cases that failed in their last run here or never ran.'),
  shard: textField(
    'i/n',
    'Run one part of the cases, such as 2/5. Parts 1/5 to 5/5 together cover all cases.',
  ),
  repeat: countField(
    'n',
    `Run each case this many times, at most ${timesMax}. One failure fails the case.`,
  ),
  retry: countField(
    'n',
    `Retry a failed case up to this many times, at most ${timesMax}. A case that passes then counts as passed and flaky.`,
  ),
  watch: flagField(
    'Keep running and repeat the cases that a change affects, without a witness. Stop with Ctrl-C.',
  ),
  write: flagField(
    'Let docs.generate cases with mode: write write their output. Leaves no witness.',
  ),
  profile: flagField('Show where the time was spent.'),
  trace: flagField('Show the chain, commands, requests and predicates of each case.'),
} as const satisfies Fields

export interface RunFlags {
  readonly shard: Shard | undefined
  readonly repeat: number | undefined
  readonly retry: number | undefined
  readonly recording: Recording | undefined
  readonly variables: ReadonlyMap<string, string>
}

export function readRunFlags(
  input: InputOf<typeof runFlagFields>,
  context: Pick<OperationContext, 'env' | 'secrets'>,
): RunFlags {
  const { repeat, retry, profile, trace } = input
  if (input.write && input.watch) throw writeWhileWatching()
  mustBeWithin('--repeat', repeat, 1)
  mustBeWithin('--retry', retry, 0)
  if (repeat !== undefined && retry !== undefined) {
    throw new Fault('usage', '--repeat and --retry exclude each other', {
      hint: 'Pass one of them.',
    })
  }
  const recording = trace ? 'all' : profile ? 'times' : undefined
  const variables = readVariables(input, context)
  return { shard: shardIn(input.shard), repeat, retry, recording, variables }
}

const writeWhileWatching = () =>
  new Fault('usage', '--write cannot be combined with --watch', {
    hint: 'Run with --write once. --watch then checks the output after each change.',
  })

function mustBeWithin(flag: string, given: number | undefined, least: number): void {
  if (given === undefined || (given >= least && given <= timesMax)) return
  throw new Fault('usage', `${flag} must be ${least} to ${timesMax}, not ${given}`, {
    hint: `Pass ${least} to ${timesMax}.`,
  })
}

function shardIn(text: string | undefined): Shard | undefined {
  const shard = text === undefined ? undefined : readShard(text)
  if (text === undefined || shard !== undefined) return shard
  throw new Fault('usage', `--shard must look like 2/5, not ${JSON.stringify(text)}`, {
    hint: 'Pass --shard 2/5 for the second of five parts. The first is 1/5.',
  })
}

export const jobsField = {
  jobs: countField('n', 'Run this many cases in parallel. Defaults to one per CPU core.'),
} as const satisfies Fields

export function mustAllowJobs(jobs: number | undefined): void {
  if (jobs !== 0) return
  throw new Fault('usage', '--jobs must be at least 1, not 0', {
    hint: 'Pass at least 1, or omit the flag for one per CPU core.',
  })
}
