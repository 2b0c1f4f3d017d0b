/** Calls an operation for a program that asks often. */
import type { JsonObject } from '../kernel/json.ts'
import type { OperationContext } from '../project/context.ts'
import { askResident } from '../resident/ask.ts'
import { type Called, callOperation } from './call.ts'
import type { CallNames } from './call-arguments.ts'
import { callNamesOf, type Exposed } from './exposed.ts'

/**
 * Like `callOperation`, and with the same answer. The resident process answers a question if there is
 * one, and is started if there is none and it may be. Every change is made in this process.
 */
export async function callWarm(
  command: string,
  args: JsonObject,
  context: OperationContext,
  names: CallNames = {},
): Promise<Called> {
  const found = await askResident({ command, args, names: { ...names } }, context)
  if (!found) return await callOperation(command, args, context, names)
  return { output: JSON.parse(found.text), ...found }
}

/** The same for a tool. */
export const callExposedWarm = async (
  entry: Exposed,
  args: JsonObject,
  context: OperationContext,
): Promise<Called> => await callWarm(entry.command, args, context, callNamesOf(entry))
