import { countField, flagField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { secondOf } from '../../kernel/harness/artifact.ts'
import { counted } from '../../kernel/text/counted.ts'
import { type OldOutput, oldOutputs, removeOutputs } from '../../project/old-outputs.ts'
import { openProject } from '../../project/open.ts'
import { table } from '../../render/table.ts'
import { CleanAnswer } from '../../wire/answers/project.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

const dayNs = 24n * 3600n * 1_000_000_000n

export const clean = operation({
  group: 'project',
  summary: 'Remove old outputs of steps and old attempts.',
  description:
    'Removes the folders in artifacts/steps/ and the refs in refs/premath/attempts/ that have not changed for the given number of days. The outputs of the last step of an open issue stay, since they tell the next attempt what failed. Issues, proofs, witnesses and branches are never removed.',
  effect: 'mutation',
  opId: 'op/project.clean',
  input: {
    olderThan: countField('days', 'Remove what has not changed for this many days.', {
      default: 30,
      setting: 'retention.days',
    }),
    dryRun: flagField('List what would be removed, and remove nothing.'),
    ...memoryFields,
  },
  output: CleanAnswer,
  examples: {
    'premath clean --dry-run': 'what would be removed',
    'premath clean --older-than 7': 'remove what is older than a week',
  },

  async run({ olderThan, dryRun, issues }, context) {
    const project = await openProject(context)
    const { config } = await project.config()
    const { memory, notices } = await readIssueMemory(project, { issues })
    const days = olderThan ?? config.retention.days
    const before = project.clock.now() - BigInt(days) * dayNs
    const old = await oldOutputs(project, memory, before)
    if (!dryRun) await removeOutputs(old, project)
    const items = old.map(({ kind, name, at }) => ({ kind, name, changedAt: secondOf(at) }))
    return {
      output: { action: 'clean', count: items.length, days, isRemoved: !dryRun, items },
      yes: true,
      ...notices,
      render: page => {
        const rows = items.map(({ kind, name, changedAt }) => [kind, changedAt, name])
        return table(['kind', 'last change', 'name'], rows, page) + endLine(old, days, dryRun)
      },
    }
  },
})

function endLine(old: readonly OldOutput[], days: number, dryRun: boolean): string {
  const age = `older than ${counted(days, 'day')}`
  if (old.length === 0) return `Nothing is ${age}.\n`
  const attempts = old.filter(({ kind }) => kind === 'attempt').length
  const what = `${counted(old.length - attempts, 'output')} and ${counted(attempts, 'attempt')} ${age}`
  return dryRun ? `premath clean removes ${what}.\n` : `Removed ${what}.\n`
}
