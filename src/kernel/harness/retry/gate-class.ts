import { lowerAscii, trim } from '../../text/clean.ts'
import { rules } from '../../turn/rules/index.ts'

const families: ReadonlySet<string> = new Set(Object.keys(rules).map(familyOf))

/**
 * True for a class of the gate. It goes by family, so that an unknown class of a newer gate also
 * blocks changes.
 */
export const isGateClass = (failureClass: string): boolean =>
  families.has(familyOf(lowerAscii(trim(failureClass))))

function familyOf(failureClass: string): string {
  return failureClass.slice(0, failureClass.indexOf('.') + 1)
}
