import { optional, record, text, type ValueOf, word } from '../shape.ts'

/** The tool call that a change came by, as its host names it. */
export const CallOrigin = record({
  surface: word(['mcp']),
  sessionId: optional(text, 'The session of the host.'),
  turnId: optional(text, 'The turn of the model.'),
  callId: optional(text, 'The call, as the transcript of the host names it.'),
})
export type CallOrigin = ValueOf<typeof CallOrigin>
