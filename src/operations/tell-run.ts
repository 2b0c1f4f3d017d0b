/** Pauses, resumes or drains the run of the project, which is another process. */
import { type Answer, refusedAnswer } from '../answer.ts'
import { Fault } from '../fault.ts'
import { type Fields, flagField, type InputOf } from '../field.ts'
import { fromRoot, workerLockPath } from '../harness/harness.ts'
import { RunRequestFile } from '../harness/loop/run-request.ts'
import { stepWorkRefusal } from '../project/authority/authority.ts'
import { coordinatorName } from '../project/loop/coordinated-workers.ts'
import type { Project } from '../project/open.ts'
import { openIssues } from '../project/open-issues.ts'

export const requestFields = {
  pause: flagField('Tell the run of this project to start no new step. Running steps go on.'),
  resume: flagField('Tell a paused run to continue.'),
  drain: flagField('Tell the run of this project to end after its running steps.'),
} as const satisfies Fields

const requests = ['pause', 'resume', 'drain'] as const
type Request = (typeof requests)[number]

export function requestIn(input: InputOf<typeof requestFields>): Request | undefined {
  const given = requests.filter(request => input[request])
  if (given.length < 2) return given[0]
  throw new Fault('usage', `--${given.join(' and --')} exclude each other`, {
    hint: 'Pass one of them.',
  })
}

export async function tellRun(
  request: Request,
  input: { readonly issues: string | undefined },
  project: Project,
): Promise<Answer<unknown>> {
  const inStep = stepWorkRefusal(`${request} the run`, project)
  if (inStep) {
    const { failureClass, diagnostic, remedy } = inStep
    return refused(request, failureClass, diagnostic, remedy)
  }
  const { recordsFolder } = await openIssues(project, input, 'ask')
  const disk = await project.disk()
  const lockPath = workerLockPath({ recordsFolder, sha256: project.sha256 }, coordinatorName)
  if (!(await isHeld(lockPath, disk))) {
    const remedy = 'Start one with premath run. Ctrl-C stops a single worker.'
    return refused(request, 'run_not_running', 'no run of this project is running', remedy)
  }
  const file = new RunRequestFile({ disk, recordsFolder })
  const before = await file.read()
  if (before === 'drain' && request !== 'drain') {
    const remedy = 'Wait until it ends, then run the same command again.'
    return refused(request, 'run_draining', 'the run is draining, which cannot be undone', remedy)
  }
  if (request === 'resume') await file.clear()
  else await file.write(request)
  const words =
    request === 'resume' && before === undefined ? 'The run is not paused.' : said[request]
  return {
    output: {
      action: 'run',
      request,
      requestPath: fromRoot(project, file.path),
      result: 'accepted',
    },
    yes: true,
    render: () => `${words}\n`,
  }
}

const said = {
  pause: 'The run starts no new step until premath run --resume. Running steps go on.',
  resume: 'The run continues.',
  drain: 'The run starts no new step, and ends after the running ones.',
} as const

/** The lock ends with its process, so it tells a run from what a killed one left. */
async function isHeld(path: string, disk: Awaited<ReturnType<Project['disk']>>): Promise<boolean> {
  if (!(await disk.stamp(path))) return false
  const lock = await disk.lock(path, 0)
  if (lock.held) await lock.release()
  return !lock.held
}

const refused = (request: Request, failureClass: string, diagnostic: string, remedy: string) =>
  refusedAnswer({ action: 'run', request }, { failureClasses: [failureClass], diagnostic, remedy })
