/** Reads the text of `.premath/config.json`. */

import { Fault } from '../../fault.ts'
import { Config, configKind, configPath } from '../../wire/config/config.ts'
import { Flaw, flawIn, newerHint } from '../artifact/flaw.ts'
import { readAs } from '../artifact/read.ts'
import { isJsonObject } from '../json.ts'
import { unknownKeyIn } from '../unknown-key.ts'
import { type JsoncDocument, JsoncFlaw, type JsoncPath, parseJsonc, placeOf } from './jsonc.ts'

export interface ConfigFile {
  /** With the defaults of absent settings. */
  readonly config: Config
  readonly document: JsoncDocument
}

export function readConfig(text: string): ConfigFile | JsoncFlaw {
  const document = parseJsonc(text)
  if (document instanceof JsoncFlaw) return document
  const { value } = document
  if (!isJsonObject(value)) return flawAt(document, [], 'it must be an object', 'Write { … }.')
  const kind = newerKindIn(value['$schema'])
  if (kind !== undefined) {
    const why = `it is written for ${kind} by a newer premath; this one reads ${configKind}`
    return flawAt(document, ['$schema'], why, newerHint)
  }
  const unknown = unknownKeyIn(value, Config)
  if (unknown) {
    const { name, above, meant } = unknown
    const key = [...above, name]
    const remedy =
      meant === undefined ? 'premath config show lists the keys.' : `Did you mean ${meant}?`
    return flawAt(document, key, `unknown key ${JSON.stringify(key.join('.'))}`, remedy)
  }
  const flaw = flawIn(Config, value)
  if (flaw) return flawAt(document, pathOf(flaw.at), String(flaw), 'Fix the value.')
  const config = readAs(Config, value)
  if (config instanceof Flaw) throw new Error(`a valid configuration reads: ${config}`)
  if (config.verify !== undefined && config.verifySpecs.length > 0) {
    const why = 'verify and verifySpecs exclude each other'
    const remedy = 'Keep one of them. A spec can run the command as a case of type cli.run.'
    return flawAt(document, ['verifySpecs'], why, remedy)
  }
  return { config, document }
}

/** Such as `premath.config.v2`. The settings name their version only by their JSON Schema. */
function newerKindIn(schema: unknown): string | undefined {
  const [kind, version] = /premath\.config\.v(\d+)\b/.exec(String(schema)) ?? []
  return Number(version) > 1 ? kind : undefined
}

export const configFault = ({ why, place, remedy }: JsoncFlaw) =>
  new Fault('invalid_input', `${configPath}:${place.line}:${place.column}: ${why}`, {
    hint: remedy,
    detail: { path: configPath, ...place },
  })

/** The settings of a project without the file. */
export function defaultConfig(): Config {
  const config = readAs(Config, {})
  if (config instanceof Flaw) throw new Error(`every setting is optional: ${config}`)
  return config
}

/** The steps of a place such as `copyFiles[0]`. */
const pathOf = (at: string): JsoncPath =>
  at === ''
    ? []
    : at
        .replaceAll(']', '')
        .split(/[.[]/)
        .map(step => (/^\d+$/.test(step) ? Number(step) : step))

const flawAt = (document: JsoncDocument, path: JsoncPath, why: string, remedy: string) =>
  new JsoncFlaw(why, placeOf(document, path) ?? { line: 1, column: 1 }, remedy)
