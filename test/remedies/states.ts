/** Remedies in states that take some making. */
import type { Row } from './remedy.ts'

export const stateRemedies: readonly Row[] = []
