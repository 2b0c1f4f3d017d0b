import { textField } from '../../field.ts'
import type { Harness } from '../../harness/harness.ts'
import { hookPathFields, loopWorkerField, workProgramField } from '../../input/harness-fields.ts'
import { earlierLoopFields, loopFields } from '../../input/loop-fields.ts'
import type { OperationContext } from '../../project/context.ts'
import { exists, worktreeDocuments } from '../../project/harness-files.ts'
import { loopPlace } from '../../project/loop/loop-place.ts'
import { withSandbox } from '../../project/loop/open-sandbox.ts'
import { withWorkCheckout } from '../../project/loop/open-work-checkout.ts'
import { asRun } from '../../project/loop/run-instruction.ts'
import { openProject } from '../../project/open.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { RunEvent } from '../../wire/run/run-event.ts'
import { workOffLeft } from '../left-closes.ts'
import { operation } from '../operation.ts'
import { liveLoop } from '../run-loop.ts'
import { withProgram } from '../step-program.ts'

export const harnessLoopWorker = operation({
  group: 'harness',
  summary: 'Work on ready issues one at a time until none can be claimed.',
  description:
    'Boots once, then repeats: claim, work, verify, close or release. A failed issue is skipped for the rest of the run. The retry policy decides whether it is also blocked, released with a new issue about the failure, or only released. An issue whose turn the gate rejects is not changed. The lease is renewed while work runs; if it is lost, the work is stopped. It lands nothing: the work stays in the current folder, in which the commands run. It does not hear premath run --pause, --resume and --drain either, which speak to a coordinator. In a linked git worktree the session and ledger are kept there; issue memory and trajectory belong to the project. Ctrl-C stops with a handoff, and a second Ctrl-C stops immediately. If the program of a command is missing, nothing is claimed and the exit code is 2. If a command exits with 126 or 127, or twice in a row cannot run, the run ends with exit code 3 and its issue is released. Exits 1 if a step failed, was refused, or was interrupted.',
  effect: 'mutation',
  opId: 'op/harness.loop_worker',
  isLive: true,
  input: {
    ...loopFields,
    ...workProgramField,
    ...loopWorkerField,
    ...hookPathFields,
    worktreeRoot: textField(
      'folder',
      'The folder that the commands run in. Defaults to the current folder.',
      { path: true },
    ),
    ...earlierLoopFields,
  },
  output: RunEvent,
  examples: {
    "premath harness-loop worker --work-cmd 'agent run' --verify-cmd 'npm test'":
      'work on every ready issue',
    "premath harness-loop worker --worker w1 --max-steps 20 --max-failures 3 --work-cmd 'agent run' --verify-cmd 'npm test' --json":
      'work within a budget and print one JSON event per line',
  },

  async run(given, here) {
    const { input: placed, context } = await loopPlace(given, here)
    const project = await openProject(context)
    await workOffLeft(project)
    const { input: named, program } = await withProgram(placed, here)
    const input = await asRun(named, project)
    return await liveLoop(input, project, async (run, emit, optionsFor) => {
      const top = await project.worktree()
      const open = await openHarness(project, { ...input, ...(await placeOf(top, input, context)) })
      const work = async (harness: Harness) => {
        const coordinator = {
          ...harness,
          emit: event => emit({ ...event, workerId: harness.workerId }),
        } as typeof harness
        const worker = {
          harness,
          hold: (act: () => Promise<void>) => act(),
          // Outside a linked worktree the folder is the project itself.
          isThere: async () => top === undefined || (await exists(top, context)),
        }
        await withWorkCheckout(harness, project, optionsFor, async checkout => {
          await run({
            mode: 'worker',
            coordinator,
            workers: [worker],
            parallel: 1,
            checkout,
            program,
          })
        })
      }
      await asWorker(open, () => withSandbox(open.harness, input, project, work))
    })
  },
})

interface Named {
  readonly worker: string | undefined
  readonly session: string | undefined
  readonly ledger: string | undefined
}

/**
 * In a linked worktree a worker has its own name, session and ledger, unless flags name others.
 */
async function placeOf(
  top: string | undefined,
  { worker, session, ledger }: Named,
  context: OperationContext,
): Promise<Partial<Named>> {
  if (top === undefined || context.env['PREMATH_HARNESS_SESSION_PATH']) return {}
  const own = worktreeDocuments(top)
  if (session === undefined) await makeGitignoredFolder(own.folder, await context.disk())
  return {
    worker: worker ?? context.env['PREMATH_WORKER_ID'] ?? own.worker,
    session: session ?? own.session,
    ledger: ledger ?? (session === undefined ? own.ledger : undefined),
  }
}
