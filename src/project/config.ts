/** Reads `.premath/config.json`. */
import { Fault } from '../fault.ts'
import { JsoncFlaw } from '../kernel/config/jsonc.ts'
import { configFault, readConfig } from '../kernel/config/read-config.ts'
import { type ConfigInForce, configInForce } from '../kernel/config/settings.ts'
import { configPath } from '../wire/config/config.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { OperationContext } from './context.ts'
import { whyNotMissing } from './dangling-link.ts'
import { namingSource, translatingFaults } from './named-document.ts'

/** The settings of the project. Without the file, all of them have their default. */
export async function readProjectConfig(
  root: string,
  { files, env }: Pick<OperationContext, 'files' | 'env'>,
): Promise<ConfigInForce> {
  const path = `${root.replace(/\/$/, '')}/${configPath}`
  const bytes = await translatingFaults(() => files.readIfPresent(path), unreadable)
  if (bytes === undefined) {
    const why = await whyNotMissing(path, files)
    if (why !== undefined) throw notReadable(path, why)
    return configInForce(undefined, env)
  }
  const file = readConfig(await namingSource(configPath, () => decodeUtf8(bytes)))
  if (file instanceof JsoncFlaw) throw configFault(file)
  return configInForce(file, env)
}

/** The user did not name this file, so an unreadable one is not bad input. */
const unreadable = ({ message, hint = '', detail, cause }: Fault) =>
  new Fault('unavailable', message, { hint, detail, cause })

/** Settings may restrict a step, so its defaults are no substitute. */
const notReadable = (path: string, why: string) =>
  new Fault('unavailable', `the settings ${path} cannot be read: ${why}`, {
    hint: 'Restore the file from version control, or remove the link.',
    detail: { path },
  })
