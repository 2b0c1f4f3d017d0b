import { lowerAscii, trim } from '../../text/clean.ts'
import { rules } from '../../turn/rules/index.ts'

const families: ReadonlySet<string> = new Set(Object.keys(rules).map(familyOf))

/**
 * Whether a gate said it. By family, so that the class of a newer gate counts too: what we do not
 * know yet must not be what opens issue memory.
 */
export const isGateClass = (failureClass: string): boolean =>
  families.has(familyOf(lowerAscii(trim(failureClass))))

function familyOf(failureClass: string): string {
  return failureClass.slice(0, failureClass.indexOf('.') + 1)
}
