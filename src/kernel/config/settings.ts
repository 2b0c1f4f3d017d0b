/** The settings one by one: key, value in force, and where the value comes from. */
import { Config, configVariables } from '../../wire/config/config.ts'
import type { Member, Members } from '../../wire/shape.ts'
import type { Json } from '../json.ts'
import { nearest } from '../text/nearest.ts'
import { type JsoncPath, nodeAt, type Place, placeOf } from './jsonc.ts'
import { type ConfigFile, defaultConfig } from './read-config.ts'

export interface Setting {
  /** Such as `timeouts.workSeconds`. */
  readonly key: string
  readonly path: readonly string[]
  readonly shape: Member
}

export type SettingSource =
  | { readonly from: 'environment'; readonly variable: string }
  | ({ readonly from: 'file' } & Place)
  | { readonly from: 'default' }

export interface SettingInForce {
  readonly key: string
  /** `null` if there is neither a value nor a default. */
  readonly value: Json
  readonly source: SettingSource
}

export interface ConfigInForce {
  /** Environment over file over default. A flag overrides all of them. */
  readonly config: Config
  readonly settings: readonly SettingInForce[]
}

const settingsIn = (members: Members, above: readonly string[]): readonly Setting[] =>
  Object.entries(members).flatMap(([name, shape]) => {
    const path = [...above, name]
    if (shape.is === 'record') return settingsIn(shape.members, path)
    return [{ key: path.join('.'), path, shape }]
  })

/** Every setting, in the order of the schema. */
export const settings = settingsIn(Config.members, []).filter(({ key }) => key !== '$schema')

/** The setting of a key, or the key that its author most likely meant. */
export function settingOf(key: string): Setting | { readonly meant: string | undefined } {
  const keys = settings.map(one => one.key)
  const lasts = new Map(settings.map(one => [one.path.at(-1) ?? '', one.key]))
  const meant = nearest(key, keys) ?? lasts.get(nearest(key, [...lasts.keys()]) ?? '')
  return settings.find(one => one.key === key) ?? { meant }
}

/** The settings of a group such as `timeouts`; none if the key names no group. */
export const settingsBelow = (group: string): readonly Setting[] =>
  settings.filter(({ key }) => key.startsWith(`${group}.`))

type Variables = Readonly<Record<string, string | undefined>>

export function configInForce(file: ConfigFile | undefined, env: Variables): ConfigInForce {
  const written = file?.config ?? defaultConfig()
  const work = env['PREMATH_WORK_CMD'] || undefined
  const verify = env['PREMATH_VERIFY_CMD'] || undefined
  const config: Config = {
    ...written,
    ...(work !== undefined && { work }),
    ...(verify !== undefined && { verify, verifySpecs: [] }),
  }
  return {
    config,
    settings: settings.map(({ key, path }) => ({
      key,
      value: valueAt(config, path) ?? null,
      source: sourceOf(key, path, file, env),
    })),
  }
}

function sourceOf(
  key: string,
  path: JsoncPath,
  file: ConfigFile | undefined,
  env: Variables,
): SettingSource {
  const variable = configVariables[key]
  if (variable !== undefined && env[variable]) return { from: 'environment', variable }
  const isWritten = file !== undefined && nodeAt(file.document.root, path) !== undefined
  const place = isWritten ? placeOf(file.document, path) : undefined
  return place === undefined ? { from: 'default' } : { from: 'file', ...place }
}

function valueAt(config: Config, path: readonly string[]): Json | undefined {
  let value: unknown = config
  for (const name of path) value = Object(value)[name]
  return value as Json | undefined
}
