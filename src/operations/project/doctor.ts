import type { ExitCode } from '../../answer.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { examineProject } from '../../project/doctor/examine.ts'
import { type Check, type DoctorFinding, examined } from '../../project/doctor/finding.ts'
import { openProject } from '../../project/open.ts'
import { doctorPage } from '../../render/doctor-page.ts'
import { operation } from '../operation.ts'

export const doctor = operation({
  group: 'project',
  summary: 'Look for what is wrong with a project, and say what to do.',
  description:
    'Looks at the policy, permissions, the lock, every row, a torn tail, leftovers, the cache and the event log, cycles, dangling edges, fences, leases that ran out or are contended, the proofs of the issues that were closed last, and at session, ledger, trajectory, a step that was cut off and the worktrees of workers. Each finding says what is the matter, why that matters and what to do. With --fix, what can be set right without deciding anything is, where the policy lets us: a torn tail is set aside, leftovers, those of a close that was cut off among them, and a useless cache are removed, and a log that is behind is completed. Ends in the exit code of the worst that needs attention: 5 when stored data cannot be trusted, 4 when somebody holds the lock, 3 when the environment is in the way, otherwise 1.',
  effect: 'mutation',
  input: {
    fix: { type: 'flag', describe: 'Set right what can be set right without deciding anything.' },
    ...changeFields,
  },
  examples: [
    { command: 'premath doctor', shows: 'what needs attention' },
    { command: 'premath doctor --fix --json', shows: 'what was found and what was set right' },
  ],

  async run({ fix, ...rest }, context) {
    const project = await openProject(context)
    const { checks, findings, looked, issuesPath, root } = await examineProject(project, {
      fix,
      ...rest,
    })
    const order = Object.keys(examined) as Check[]
    const checked = order.filter(check => checks.includes(check))
    const sorted = findings.toSorted((a, b) => order.indexOf(a.check) - order.indexOf(b.check))
    const open = sorted.filter(found => !found.fixed)
    const summary = {
      attentionCount: open.length,
      checked,
      fixedCount: sorted.length - open.length,
      looked: looked ?? {},
    }
    return {
      output: {
        action: 'doctor',
        findings: sorted,
        issuesPath,
        repoRoot: root,
        result: open.length === 0 ? 'accepted' : 'rejected',
        summary,
      },
      yes: open.length === 0,
      exitCode: worstOf(open),
      render: page => doctorPage({ checks: checked, findings: sorted, looked: looked ?? {} }, page),
    }
  },
})

const worstOf = (found: readonly DoctorFinding[]): ExitCode =>
  Math.max(0, ...found.map(({ exitCode }) => exitCode)) as ExitCode
