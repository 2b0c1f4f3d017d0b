/** Checks which tools a turn may call. */

import { isJsonObject, type Json } from '../../json.ts'
import { lowerAscii, trim } from '../../text/clean.ts'
import { listed, rowAt } from '../evidence/read-row.ts'
import { none, type Violation } from '../rules/rule.ts'
import type { Turn } from '../turn.ts'
import { toolEntry } from './call-index.ts'

export function disallowedTools(turn: Turn): readonly Violation[] {
  const { toolPolicy, toolChoice } = turn.callSpec
  if (!toolPolicy && toolChoice === undefined) return none
  const chosen = chosenTools(toolChoice as Json | undefined)
  return turn.requests.flatMap(({ toolCallId, toolName = 'an unnamed tool' }) => {
    const at = rowAt('evidence.toolRequests', toolCallId)
    const violations: Violation[] = []
    if (toolPolicy && !toolEntry(turn, toolName)) {
      violations.push({ at, message: `${toolName} is not in the tool policy` })
    }
    if (chosen && !chosen.includes(toolName)) {
      const admitted = listed(chosen, 'no tool')
      violations.push({
        at,
        message: `${toolName} was called, but the tool choice admits ${admitted}`,
      })
    }
    return violations
  })
}

/** Values that leave the choice to the model. */
const openChoices: readonly string[] = ['auto', 'any', 'required', 'specific']

/**
 * The tools a choice names, in the spellings of several providers; `undefined` if the choice is
 * open.
 */
function chosenTools(choice: Json | undefined): readonly string[] | undefined {
  if (typeof choice === 'string') {
    const word = lowerAscii(trim(choice))
    if (word === 'none') return []
    return openChoices.includes(word) ? undefined : [trim(choice)]
  }
  if (!isJsonObject(choice)) return undefined
  if (choice['type'] === 'none') return []
  const tools = choice['tools']
  if (choice['type'] === 'allowed_tools' && Array.isArray(tools)) {
    return (tools as readonly Json[]).map(nameIn).filter(name => name !== undefined)
  }
  const name = nameIn(choice)
  return name === undefined ? undefined : [name]
}

function nameIn(choice: Json): string | undefined {
  if (!isJsonObject(choice)) return undefined
  for (const key of ['function', 'tool', 'custom']) {
    const nested = choice[key]
    if (isJsonObject(nested) && typeof nested['name'] === 'string') return nested['name']
  }
  const name = choice['name'] ?? choice['toolName']
  return typeof name === 'string' ? name : undefined
}
