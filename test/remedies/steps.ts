/** Remedies about how steps and runs end. */
import type { Row } from './remedy.ts'

export const stepRemedies: readonly Row[] = []
