/** Collects operator and variable names in expressions, bound or not. */
import { isList, isMapping, type SpecValue } from '../lang/value.ts'

export function usedNames(value: SpecValue, found = new Set<string>()): ReadonlySet<string> {
  if (isList(value)) for (const item of value) usedNames(item, found)
  if (!isMapping(value)) return found
  for (const [key, one] of value) {
    found.add(key)
    if (key === 'var' && typeof one === 'string') found.add(one)
    else usedNames(one, found)
  }
  return found
}
