/** The git refs of landing. Every issue id gets a legal name. */
import type { Sha256 } from '../canonical.ts'
import { stepFolderName } from '../harness/step/step-id.ts'

/** The prefix of issue branches. A branch with exactly this name would block them all. */
export const branchFolder = 'premath'

/** `premath/bd-7`: the branch on which an agent works on the issue. */
export const issueBranch = (issueId: string, sha256: Sha256): string =>
  `${branchFolder}/${refName(issueId, sha256)}`

/** Keeps the commit that is about to land, because git removes commits without a ref. */
export const candidateRef = (issueId: string, sha256: Sha256): string =>
  `refs/premath/candidates/${refName(issueId, sha256)}`

/** Keeps the commit that reverts an issue, while the row of the issue names it. */
export const revertRef = (issueId: string, sha256: Sha256): string =>
  `refs/premath/reverts/${refName(issueId, sha256)}`

/** Keeps the work of an agent that asked for a close, until the close has ended. */
export const closeRef = (issueId: string, sha256: Sha256): string =>
  `refs/premath/closes/${refName(issueId, sha256)}`

/** The folder of the refs that keep the work of abandoned attempts, until the issue closes. */
export const attemptsFolder = (issueId: string, sha256: Sha256): string =>
  `refs/premath/attempts/${refName(issueId, sha256)}`

/** Git allows no name with two dots in a row, a dot at its end, or `.lock` at its end. */
export const refName = (id: string, sha256: Sha256): string =>
  stepFolderName(id, sha256)
    .replace(/\.(?=\.|$)/g, '%2e')
    .replace(/\.lock$/, '%2elock')
