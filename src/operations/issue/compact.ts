import { Fault } from '../../fault.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { counted } from '../../kernel/text/counted.ts'
import { rewriteRefusal } from '../../project/authority/rewrite-authority.ts'
import { openProject } from '../../project/open.ts'
import { fileStore, openIssues, talkOf } from '../../project/open-issues.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { operation } from '../operation.ts'

export const issueCompact = operation({
  group: 'issue',
  summary: 'Rewrite issue memory in its shortest form.',
  description:
    'Changes append rows, and the last row of an issue counts. This writes the file anew with one row an issue, by id, and changes no issue: the snapshot ref stays the same. Lines that are comments go. Readers are not disturbed, and a crash leaves the old file or the new one. It is for people: an agent under an instruction, or the work of a step, is refused.',
  effect: 'mutation',
  input: changeFields,
  examples: [
    { command: 'premath issue compact', shows: 'how much smaller the file is' },
    { command: 'premath issue compact --json', shows: 'bytes before and after, for a program' },
  ],

  async run(input, context) {
    const open = await openIssues(await openProject(context), input)
    const { store, issuesPath } = open
    const refused = await rewriteRefusal(open, 'issue.compact', input)
    if (refused) return rejected('issue.compact', issuesPath, refused)
    // Asked first: taking the lock would make the folder.
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
      ...talkOf(open),
      render: () => `Compacted ${counted(issues, 'issue')}: ${before} to ${after} bytes\n`,
    }
  },
})

const noMemory = (issuesPath: string) =>
  new Fault('invalid_input', `there is no issue memory at ${issuesPath}`, {
    hint: 'Check the path. premath issue add begins one there; premath init sets up a project.',
    detail: { issuesPath },
  })
