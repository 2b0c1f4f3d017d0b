/** Reads `.premath/checks.json`, which maps checks to commands. */

import { isJsonObject, type Json } from '../json.ts'
import { trim } from '../text/clean.ts'
import { strayMember } from '../unknown-key.ts'

export const checksPath = '.premath/checks.json'
const checksKind = 'premath.checks.v1'

/** By check id. */
export type Checks = ReadonlyMap<string, string>

/** The commands, or what is wrong with the document. */
export function readChecks(value: Json): Checks | string {
  if (!isJsonObject(value)) return 'it is not an object'
  if (value['schema'] !== 1) return 'its schema is not 1'
  if (value['checksKind'] !== checksKind) return `its checksKind is not ${checksKind}`
  const stray = strayMember(value, ['schema', 'checksKind', 'checks'])
  if (stray !== undefined) return stray
  const commands = value['checks']
  if (!isJsonObject(commands)) return 'its checks is not an object'
  const entries = Object.entries(commands)
  const blank = entries.find(([, command]) => typeof command !== 'string' || trim(command) === '')
  if (blank) return `checks[${JSON.stringify(blank[0])}] is blank or not text`
  return new Map(entries.map(([id, command]) => [id, String(command)]))
}
