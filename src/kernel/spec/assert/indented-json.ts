/** JSON with one item per line, so that two values can be compared line by line. */
import { unlimitedMeter } from '../lang/meter.ts'
import { printItem } from '../lang/print-value.ts'
import type { SpecValue } from '../lang/value.ts'

/** Indents compact JSON instead of the value, which may be nested deeper than the stack. */
export function indentedJson(value: SpecValue): string {
  const compact = printItem(value, unlimitedMeter(), 'sorted')
  if (typeof compact !== 'string') return ''
  let depth = 0
  const lineBreak = () => `\n${'  '.repeat(Math.min(depth, depthMax))}`
  const indented = compact.replace(tokens, token => {
    if (token === ',') return `,${lineBreak()}`
    if (token === ':') return ': '
    if (token === '[' || token === '{') {
      depth++
      return `${token}${lineBreak()}`
    }
    if (token === ']' || token === '}') {
      depth--
      return `${lineBreak()}${token}`
    }
    return token
  })
  return `${indented}\n`
}

/** Deeper levels are not indented further, so that the text grows by a constant factor. */
const depthMax = 40

/** Texts whole, empty containers whole, and the characters between values. */
const tokens = /"(?:[^"\\]|\\.)*"|\[\]|\{\}|[[\]{},:]/g
