/** Runs checks in a project, under its rules for the output of commands. */
import { Fault } from '../../fault.ts'
import { handOverOutputs } from '../../harness/payloads.ts'
import { type ChecksRun, runChecks } from '../../harness/run-checks.ts'
import type { CheckResult } from '../../wire/instruction/instruction-witness.ts'
import type { Project } from '../open.ts'

interface ProjectChecks
  extends Pick<
    ChecksRun,
    | 'checks'
    | 'cwd'
    | 'outputFolder'
    | 'timeoutMs'
    | 'timeoutMsOf'
    | 'atOnce'
    | 'after'
    | 'envOf'
    | 'env'
  > {
  /** Names the run in what is handed over. */
  readonly id: string
}

/** Faults if a stop signal arrives before every check has ended. */
export async function runProjectChecks(
  checkIds: readonly string[],
  project: Project,
  { id, env, ...run }: ProjectChecks,
): Promise<readonly CheckResult[]> {
  const [processes, disk] = await Promise.all([project.processes(), project.disk()])
  const { root, sha256, progress: note } = project
  const { observabilityMode: mode } = await project.policy()
  const { processorCommand } = (await project.config()).config
  const payloads = mode && { processes, root, env: project.env, mode, processorCommand, note }
  const stopping = new AbortController()
  const unlisten = processes.onStopSignal(() => stopping.abort())
  try {
    const results = await runChecks(checkIds, {
      ...run,
      processes,
      disk,
      sha256,
      env: { ...project.env, PREMATH_ROOT: root, ...env },
      ...(payloads && {
        takeOutput: (checkId, end) => handOverOutputs(payloads, id, checkId, end),
      }),
      stop: stopping.signal,
      print: note,
    })
    if (results) return results
  } finally {
    unlisten()
  }
  throw new Fault('unavailable', 'stopped before every check had ended: no witness is written', {
    hint: 'Run it again.',
  })
}
