/** Reads `.premath/checks.json`, which maps checks to commands. */

import { Checks as Document } from '../../wire/instruction/checks.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import type { Json } from '../json.ts'
import { flawMessage } from '../unknown-key.ts'

export const checksPath = '.premath/checks.json'

/** By check id. */
export type Checks = ReadonlyMap<string, string>

/** The commands, or the first flaw of the document. */
export function readChecks(value: Json): Checks | string {
  const document = shaped(Document, value)
  if (document instanceof Flaw) return flawMessage(document, value, Document)
  return new Map(Object.entries(document.checks))
}
