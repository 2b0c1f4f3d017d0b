/** Reads the session and the call from the members that hosts put into `_meta`. */
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../kernel/json.ts'
import type { CallOrigin } from '../wire/issue/call-origin.ts'

/** A host chooses these texts, and they go into rows. */
const lengthMax = 200

export function callOriginOf(meta: JsonObject = {}): CallOrigin {
  const turn = objectIn(meta['x-codex-turn-metadata'])
  return {
    surface: 'mcp',
    ...named('sessionId', turn['session_id']),
    ...named('turnId', turn['turn_id']),
    ...named('callId', meta['claudecode/toolUseId'] ?? meta['callId'] ?? meta['progressToken']),
  }
}

function objectIn(value: Json | undefined): JsonObject {
  const read = typeof value === 'string' ? jsonIn(value) : value
  return isJsonObject(read) ? read : {}
}

function named(name: 'sessionId' | 'turnId' | 'callId', value: Json | undefined) {
  if (typeof value !== 'string' && typeof value !== 'number') return {}
  const text = String(value)
  return text === '' || text.length > lengthMax ? {} : { [name]: text }
}
