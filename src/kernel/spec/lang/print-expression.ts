/** Prints an expression on one line, in the style of a document. */
import { isList, isMapping, type SpecValue } from './value.ts'

/** Recursive: values from YAML have bounded depth. */
export function printExpression(value: SpecValue): string {
  if (isList(value)) return `[${value.map(printExpression).join(', ')}]`
  if (!isMapping(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value)
  const entries = [...value].map(([key, one]) => `${printKey(key)}: ${printExpression(one)}`)
  return `{${entries.join(', ')}}`
}

const printKey = (key: string) => (/^[A-Za-z_][\w.]*$/.test(key) ? key : JSON.stringify(key))
