/** Which tools a turn may call at all. */
import { lowerAscii } from '../clean.ts'
import { isJsonObject, type Json } from '../json.ts'
import { toolEntry } from './call-index.ts'
import { rowAt } from './read-row.ts'
import { none, type Violation } from './rules/rule.ts'
import type { Turn } from './turn.ts'

export function disallowedTools(turn: Turn): readonly Violation[] {
  const { toolPolicy, toolChoice } = turn.callSpec
  if (!toolPolicy && toolChoice === undefined) return none
  const only = chosenTool(toolChoice as Json | undefined)
  return turn.requests.flatMap(({ toolCallId, toolName = 'an unnamed tool' }) => {
    const at = rowAt('evidence.toolRequests', toolCallId)
    const said: Violation[] = []
    if (toolPolicy && !toolEntry(turn, toolName)) {
      said.push({ at, message: `${toolName} is not in the tool policy` })
    }
    if (only !== undefined && only !== toolName) {
      said.push({ at, message: `${toolName} was called, but the tool choice admits ${only}` })
    }
    return said
  })
}

/** Words that leave the choice to the model. */
const openChoices: readonly string[] = ['auto', 'any', 'required', 'specific']

/** The one tool a choice names, in the spellings providers use; `no tool` for none. */
function chosenTool(choice: Json | undefined): string | undefined {
  if (typeof choice === 'string') {
    const word = lowerAscii(choice)
    if (word === 'none') return 'no tool'
    return openChoices.includes(word) ? undefined : choice
  }
  if (!isJsonObject(choice)) return undefined
  if (choice['type'] === 'none') return 'no tool'
  const nested = isJsonObject(choice['function']) ? choice['function'] : choice
  const name = nested['name'] ?? choice['toolName']
  return typeof name === 'string' ? name : undefined
}
