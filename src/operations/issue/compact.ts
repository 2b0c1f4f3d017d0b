import { Fault } from '../../fault.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { counted } from '../../kernel/text/counted.ts'
import { rewriteRefusal } from '../../project/authority/rewrite-authority.ts'
import { openProject } from '../../project/open.ts'
import { fileStore, messageOf, openIssues } from '../../project/open-issues.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { CompactAnswer } from '../../wire/answers/issue-files.ts'
import { operation } from '../operation.ts'

export const issueCompact = operation({
  group: 'issue',
  summary: 'Compact issue memory to one row per issue.',
  description:
    'Changes append rows, and the last row of an issue counts. This command rewrites the file with one row per issue, sorted by id. No issue changes, and the snapshot ref stays the same. Comment lines are removed. Readers are not disturbed, and a crash leaves the old file or the new one. Only a person may run it, not an agent under an instruction or the work of a step.',
  effect: 'mutation',
  opId: 'op/issue.compact',
  input: changeFields,
  output: CompactAnswer,
  examples: {
    'premath issue compact': 'the file size before and after',
    'premath issue compact --json': 'the file size before and after, as JSON',
  },

  async run(input, context) {
    const open = await openIssues(await openProject(context), input)
    const { store, issuesPath } = open
    const refused = await rewriteRefusal(open, 'issue.compact', input)
    if (refused) return rejected('issue.compact', issuesPath, refused)
    // Check first: taking the lock would create the folder.
    if (!(await store.exists())) throw noMemory(issuesPath)
    const { before, after, issues } = await fileStore(open).compact()
    return {
      output: {
        action: 'issue.compact',
        issuesPath,
        issueCount: issues,
        bytesBefore: before,
        bytesAfter: after,
      },
      yes: true,
      ...messageOf(open),
      render: () => `Compacted ${counted(issues, 'issue')}: ${before} to ${after} bytes\n`,
    }
  },
})

const noMemory = (issuesPath: string) =>
  new Fault('invalid_input', `no issue memory at ${issuesPath}`, {
    hint: 'Check the path. premath issue add creates it; premath init sets up a project.',
    detail: { issuesPath },
  })
