import type { CommandEnd, RunningCommand, SpawnFailure } from './world.ts'

/** A command that could not be started, and so has ended. */
export function unrunCommand(
  spawnFailed: SpawnFailure,
  outputs: Pick<CommandEnd, 'stdout' | 'stderr'>,
): RunningCommand {
  const end: CommandEnd = {
    exitCode: null,
    signal: null,
    timedOut: false,
    stopped: false,
    spawnFailed,
    leftBehind: 'none',
    durationMs: 0,
    ...outputs,
  }
  return { group: undefined, end: Promise.resolve(end), stop: () => {} }
}
