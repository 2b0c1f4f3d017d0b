/** The folder of a step that its work can write to: its turns, and what it asks the harness for. */
import type { Sha256 } from '../../canonical.ts'
import { stepFolderName } from './step-id.ts'

export const mailboxName = 'mailbox'

/** Beside the mailbox: what became of the requests. Where it is, the step takes no more. */
export const takenName = 'requests.json'

/** How many requests of a step are taken. */
export const requestsMax = 100
/** The size of one: a long comment. */
export const requestBytesMax = 64 * 1024

interface Place {
  readonly root: string
  readonly sha256: Sha256
}

export const mailboxOf = (place: Place, stepId: string): string =>
  `${folderOf(place, stepId)}/${mailboxName}`

export const takenPath = (place: Place, stepId: string): string =>
  `${folderOf(place, stepId)}/${takenName}`

const folderOf = ({ root, sha256 }: Place, stepId: string) =>
  `${root === '/' ? '' : root}/artifacts/steps/${stepFolderName(stepId, sha256)}`
