import { Fault } from '../../fault.ts'
import { absentValue, flagField } from '../../field.ts'
import { changeFields, idField, proofFields } from '../../input/issue-fields.ts'
import { CloseAnswer } from '../../wire/answers/issue-changes.ts'
import { operation } from '../operation.ts'
import { issueUpdate } from './update.ts'

const { verify, verifyCmd, force } = issueUpdate.input

export const issueClose = operation({
  group: 'issue',
  summary: 'Close an issue with proof.',
  description:
    'On the command line it does what premath issue update --status closed does. With --queue, and always over MCP, it takes the work as it is now, puts the close into a queue and answers queued at once; without git the files are verified as they are later. The caller has to hold the lease. The MCP server merges the work into the target branch, verifies that commit in a clean checkout, lands it and closes the issue; if no server runs, the next command that claims does, or premath land. Premath asks instruction, lease and fence again then. With the setting land at branch the work waits for review, and with none nothing lands. premath issue show tells how far it is. A close that fails leaves the lease to its holder. Asking again for a close that waits or is done changes nothing.',
  effect: 'mutation',
  opId: 'op/issue.close',
  input: {
    ...idField,
    queue: flagField('Queue the close and answer at once.'),
    verify,
    verifyCmd,
    force,
    ...proofFields,
    ...changeFields,
  },
  output: CloseAnswer,
  examples: {
    'premath issue close bd-1 --verify': 'closes the issue after its specs pass',
    'premath issue close bd-1 --queue --lease-id lease1_bd-1_me --fence 1':
      'queues the close, as an agent does over MCP',
  },

  async run({ queue, ...input }, context) {
    if (!queue) {
      const fields = Object.entries(issueUpdate.input)
      const absent = Object.fromEntries(fields.map(([name, field]) => [name, absentValue(field)]))
      const update = { ...absent, ...input, status: 'closed' }
      return await issueUpdate.run(update as Parameters<typeof issueUpdate.run>[0], context)
    }
    mustNotChoose(input)
    const { requestClose } = await import('../close-request.ts')
    return await requestClose(input, context)
  },
})

/** The project says how a queued close is verified. */
function mustNotChoose(input: {
  readonly verify: boolean
  readonly verifyCmd: string | undefined
  readonly force: boolean
}): void {
  const { verify, verifyCmd, force } = input
  if (!verify && !force && verifyCmd === undefined) return
  const flag = force ? '--force' : verify ? '--verify' : '--verify-cmd'
  throw new Fault('usage', `${flag} is not for a queued close`, {
    hint: 'Leave it out: the specs of the issue, or the verify command of the project, verify it.',
  })
}
