/** Remedies about servers, terminals and other processes. */
import type { Row } from './remedy.ts'

export const serverRemedies: readonly Row[] = []
