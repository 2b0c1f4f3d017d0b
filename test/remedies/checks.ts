/** Remedies about findings of checks. */
import type { Row } from './remedy.ts'

export const checkRemedies: readonly Row[] = []
