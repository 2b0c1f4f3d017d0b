/** Remedies about instructions, turns and policies. */
import type { Row } from './remedy.ts'

export const instructionRemedies: readonly Row[] = []
