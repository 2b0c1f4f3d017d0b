/** The YAML reader accepts more than JSON, but other tools read `.json` files too. */
import { Fault } from '../../../fault.ts'
import { parseJson } from '../../json.ts'
import type { Problem } from './problem.ts'
import type { SourceText } from './source-text.ts'

/** The first JSON syntax error; `undefined` if the text is JSON. */
export function jsonProblem(source: SourceText): Problem | undefined {
  try {
    parseJson(source.text)
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { line, column } = error.detail
    const place = source.place(Number(line) - 1, Number(column) - 1)
    return { place, code: 'json.syntax', message: error.message, hint }
  }
}

const hint =
  'JSON has its keys and texts in double quotes, no comments, and no comma before a closing bracket. Mend it there, or call the document .yaml.'
