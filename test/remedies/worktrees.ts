/** Remedies about linked worktrees. */
import type { Row } from './remedy.ts'

export const worktreeRemedies: readonly Row[] = []
