/** One worker at a time gets an issue, and a late writer is refused. */
import { aFolder, say, show } from './stage.mjs'

export function leases() {
  const folder = aFolder()
  say('\nLeases. Only one agent can claim an issue, and a write with an old fence is refused.')
  show(folder, ['init'], 0)
  show(folder, ['issue', 'add', 'Fix login timeout', '--priority', '1'], 0)
  show(folder, ['issue', 'claim-next', '--assignee', 'agent-1'], 0)
  show(folder, ['issue', 'claim', 'bd-1', '--assignee', 'agent-2'], 4)
  const late = ['--lease-id', 'lease1_bd-1_agent-1', '--fence', '0']
  show(folder, ['issue', 'update', 'bd-1', '--status', 'closed', ...late], 4)
}
