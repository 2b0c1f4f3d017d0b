import type { ExitCode } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { flagField } from '../../field.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { examineProject } from '../../project/doctor/examine.ts'
import { type Check, type DoctorFinding, examined } from '../../project/doctor/finding.ts'
import { openProject } from '../../project/open.ts'
import { doctorPage } from '../../render/doctor-page.ts'
import { DoctorAnswer } from '../../wire/answers/project.ts'
import { operation } from '../operation.ts'

export const doctor = operation({
  group: 'project',
  summary: 'Find problems of a project and explain how to fix them.',
  description:
    'Checks the policy, the settings, the list of trusted keys, the rules of required checks, what stands in the place of each file, the merge driver and what git did to issue memory, permissions, the lock, every row, a torn tail, acknowledged rows that the file lacks, leftover files, the cache, the event log, cycles, dangling edges, fences, expired and contended leases, recent proofs, commits that a rewritten branch lost, the session, the ledger, the trajectory, interrupted steps and the worktrees of workers. Each finding states the problem, its effect and the fix. With --fix, safe repairs are made if the policy allows: a torn tail and lines of the trajectory that are no steps are moved aside, leftover files and a useless cache are removed, a merge driver of premath is configured again, an incomplete log is completed, and acknowledged rows that the file lacks are written again. The exit code is that of the worst finding: 5 if stored data is corrupt, 4 if the lock is held, 3 for a problem of the environment, otherwise 1.',
  effect: 'mutation',
  opId: 'op/project.doctor',
  input: {
    fix: flagField('Make safe repairs.'),
    acceptOlder: flagField(
      'Keep issue memory as its file is, and give up acknowledged rows that the file lacks. Needs --reason.',
    ),
    ...changeFields,
  },
  output: DoctorAnswer,
  examples: {
    'premath doctor': 'what needs attention',
    'premath doctor --fix --json': 'the findings and the repairs',
    "premath doctor --accept-older --reason 'the experiment is over'":
      'keep an older file of issue memory',
  },

  async run(input, context) {
    if (input.acceptOlder && !input.reason?.trim()) throw reasonMissing()
    const project = await openProject(context)
    const { checks, findings, looked, issuesPath, root } = await examineProject(project, input)
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

const reasonMissing = () =>
  new Fault('usage', '--accept-older needs --reason', {
    hint: 'Say why the acknowledged rows are given up: it is recorded.',
  })

const worstOf = (found: readonly DoctorFinding[]): ExitCode =>
  Math.max(0, ...found.map(({ exitCode }) => exitCode)) as ExitCode
