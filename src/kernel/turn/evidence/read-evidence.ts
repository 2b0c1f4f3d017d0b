/** Reads every row of a turn by its contract. */
import {
  CallSpec,
  Extension,
  Handoff,
  Linkage,
  ProtocolState,
  ReminderQueue,
  StateView,
  ToolRender,
  ToolRequest,
  ToolResult,
  ToolUse,
} from '../../../wire/turn/turn-evidence.ts'
import type { Sha256 } from '../../canonical.ts'
import type { Json, JsonObject } from '../../json.ts'
import type {
  Evidence,
  QueueRow,
  RenderRow,
  RequestRow,
  ResultRow,
  UseRow,
  ViewRow,
} from '../turn.ts'
import { place, type Reading, readFields, readRow } from './read-row.ts'
import { normalRequest, normalResult, normalUse } from './rows.ts'
import { readSurface } from './surface.ts'

/** Evidence keys that hold rows. The others are plain fields. */
const rowKeys = [
  'callSpec',
  'toolRequests',
  'toolResults',
  'toolUse',
  'toolRender',
  'reminderQueue',
  'stateViews',
  'protocolState',
  'handoff',
]

const ownFields = { ...Extension, ...Linkage } as const

export function readEvidence(evidence: JsonObject, reading: Reading, sha256: Sha256): Evidence {
  const argumentsOf: { request: RequestRow; value: Json }[] = []
  const payloadOf: { result: ResultRow; value: Json | undefined }[] = []
  const own = readFields(evidence, ownFields, place('evidence'), reading, rowKeys)
  const { sessionRefs = [], trajectoryRefs = [], ...extension } = own
  const surface = readSurface.bind(undefined, evidence, reading)
  return {
    callSpec: readRow(evidence['callSpec'], CallSpec, place('evidence.callSpec'), reading) ?? {},
    requests: surface('toolRequests', ToolRequest, 'toolCallId', (row, _raw, where) => {
      const request = normalRequest(row, where, reading, sha256)
      if (row['arguments'] !== undefined) argumentsOf.push({ request, value: row['arguments'] })
      return request
    }) as readonly RequestRow[],
    results: surface('toolResults', ToolResult, 'toolCallId', (row, raw, where) => {
      const result = normalResult(row, raw, where, reading, sha256)
      if (result) payloadOf.push({ result, value: row['payload'] })
      return result
    }) as readonly ResultRow[],
    uses: surface('toolUse', ToolUse, 'toolCallId', (row, _raw, where) =>
      normalUse(row, where, reading),
    ) as readonly UseRow[],
    renders: surface('toolRender', ToolRender, 'toolCallId') as readonly RenderRow[],
    queues: surface('reminderQueue', ReminderQueue, 'queueId') as readonly QueueRow[],
    views: surface('stateViews', StateView, 'viewId') as readonly ViewRow[],
    protocolState: {
      continuationAllowed: false,
      ...readRow(evidence['protocolState'], ProtocolState, protocolPlace, reading),
    },
    handoff: readHandoff(evidence['handoff'], reading),
    sessionRefs,
    trajectoryRefs,
    extension,
    argumentsOf,
    payloadOf,
  }
}

const protocolPlace = place('evidence.protocolState')

function readHandoff(value: Json | undefined, reading: Reading): Handoff | undefined {
  if (value === undefined || value === null) return undefined
  return readRow(value, Handoff, place('evidence.handoff'), reading) ?? {}
}
