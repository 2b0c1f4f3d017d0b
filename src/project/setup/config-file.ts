/** Writes `.premath/config.json`. */
import { Fault } from '../../fault.ts'
import { type JsoncDocument, JsoncFlaw, parseJsonc } from '../../kernel/config/jsonc.ts'
import { configFault, readConfig } from '../../kernel/config/read-config.ts'
import { isJsonObject } from '../../kernel/json.ts'
import { lockWaitMsDefault, underLock } from '../../store/lock.ts'
import { configPath } from '../../wire/config/config.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import { namingSource } from '../named-document.ts'
import type { Project } from '../open.ts'
import { mustStayInside } from '../paths.ts'

/** Replaces the file with the edited text, if that is a valid configuration. */
export async function editConfig(
  project: Project,
  edit: (document: JsoncDocument) => string,
): Promise<{ readonly path: string; readonly isChanged: boolean }> {
  const disk = await project.disk()
  const path = project.at(configPath)
  await mustStayInside(path, project.root, disk)
  // A second command that edits at the same time would otherwise be lost.
  return await underLock(
    disk,
    `${path}.lock`,
    lockWaitMsDefault,
    async guard => {
      const bytes = await project.files.readIfPresent(path)
      const before = bytes ? await namingSource(configPath, () => decodeUtf8(bytes)) : '{}\n'
      const after = edit(parsed(before))
      const read = readConfig(after)
      if (read instanceof JsoncFlaw) throw configFault(read)
      const isChanged = after !== before
      const content = new TextEncoder().encode(after)
      if (isChanged) await disk.replace(await disk.realPath(path), content, guard)
      return { path, isChanged }
    },
    { noun: 'configuration' },
  )
}

function parsed(text: string): JsoncDocument {
  const document = parseJsonc(text)
  if (document instanceof JsoncFlaw) throw configFault(document)
  if (isJsonObject(document.value)) return document
  throw new Fault('invalid_input', `${configPath} must be an object`, { hint: 'Write { … }.' })
}
