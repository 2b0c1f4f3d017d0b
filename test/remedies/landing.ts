/** Remedies about landing and reverts. */
import type { Row } from './remedy.ts'

export const landingRemedies: readonly Row[] = []
