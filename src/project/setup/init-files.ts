/** The files a project begins with. Each is made where it is missing and left alone where it is not. */
import { Fault } from '../../fault.ts'
import {
  type MutationPolicy,
  policyKind,
  surfaces,
} from '../../kernel/authority/mutation-policy.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../kernel/json.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { readRows } from '../../store/issue-rows.ts'
import { lockWaitMsDefault, underLock } from '../../store/lock.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { mustStayInside, resolvePath } from '../paths.ts'
import { mutationPolicy } from '../policy-file.ts'
import { withGitAttributes } from './merge-driver-install.ts'

type Ids = MutationPolicy['ids']

interface Place {
  readonly root: string
  readonly ids: Ids | undefined
  readonly context: OperationContext
  readonly disk: Disk
}

export interface ProjectFile {
  /** As `created` names it in the answer. */
  readonly name: string
  /** From the root. */
  readonly path: string
  readonly state: 'made' | 'there' | 'changed'
}

export async function projectFiles(place: Place) {
  const { root, context, disk } = place
  const path = (name: string) => resolvePath(root, `.premath/${name}`)
  for (const name of ['issues.jsonl', 'policy.json', '.gitignore', '.gitattributes']) {
    await mustBeNoFolder(path(name), context)
    await mustStayInside(path(name), root, disk)
  }
  // Before anything is made: what cannot be copied or trusted leaves no half of a project.
  await mutationPolicy(root, context)
  const legacy = await legacyIssues(root, context)
  // Where a link leads, since a link to what is not there yet cannot be made a folder.
  await disk.makeFolder(await disk.realPath(path('.')))
  const issues = await issuesFile(path('issues.jsonl'), legacy?.bytes, disk)
  const policy = await policyFile(path('policy.json'), place)
  const ignore = await ignoreFile(path('.gitignore'), context, disk)
  const attributes = await attributesFile(path('.gitattributes'), context, disk)
  return {
    ids: (await mutationPolicy(root, context)).ids,
    issuesPath: path('issues.jsonl'),
    policyPath: path('policy.json'),
    migratedFromLegacy: issues === 'made' && legacy ? legacy.path : null,
    made: [
      { name: 'issuesFile', path: '.premath/issues.jsonl', state: issues },
      { name: 'policyFile', path: '.premath/policy.json', state: policy },
      { name: 'ignoreFile', path: '.premath/.gitignore', state: ignore },
      { name: 'attributesFile', path: '.premath/.gitattributes', state: attributes },
    ] satisfies ProjectFile[],
  }
}

async function mustBeNoFolder(path: string, { files }: OperationContext): Promise<void> {
  if ((await files.kindOf(path)) !== 'folder') return
  throw new Fault('invalid_input', `${path} is a folder, and a file is needed there`, {
    hint: 'Move the folder away and run again.',
    detail: { path },
  })
}

/** What an earlier tool kept, when it would load here. A copy that does not would stop all work. */
async function legacyIssues(root: string, { files }: OperationContext) {
  const path = resolvePath(root, '.beads/issues.jsonl')
  const isNeeded = (await files.kindOf(resolvePath(root, '.premath/issues.jsonl'))) === undefined
  const bytes = isNeeded ? await files.readIfPresent(path) : undefined
  if (!bytes) return undefined
  try {
    readRows(bytes, { bytes: 0, lines: 0, unfinished: false }, path, () => {})
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Fault('invalid_input', error.message, {
      hint: 'Nothing was made. Mend the line and run again, or move .beads away to begin without it.',
      detail: error.detail,
      cause: error,
    })
  }
  return { path, bytes }
}

/** Under the lock: whoever adds the first issue at this moment makes the same file. */
async function issuesFile(path: string, content: Uint8Array | undefined, disk: Disk) {
  return await underLock(disk, `${path}.lock`, lockWaitMsDefault, async () => {
    if (await disk.stamp(path)) return 'there'
    await disk.replace(path, content ?? new Uint8Array())
    return 'made'
  })
}

async function policyFile(path: string, { root, ids, context, disk }: Place) {
  const bytes = await context.files.readIfPresent(path)
  // One that cannot be trusted is not ours to replace.
  const before = await mutationPolicy(root, context)
  if (bytes && (ids === undefined || ids === before.ids)) return 'there'
  const kept: JsonObject = bytes
    ? documentIn(bytes)
    : { policyKind, schema: 1, surfaces: surfacesOf(before) }
  const policy = { ...kept, ids: ids ?? before.ids }
  await disk.replace(path, new TextEncoder().encode(printJson(policy)))
  return bytes ? 'changed' : 'made'
}

const surfacesOf = ({ modes }: MutationPolicy): JsonObject =>
  Object.fromEntries(surfaces.map(surface => [surface, { mode: modes[surface] }]))

function documentIn(bytes: Uint8Array): JsonObject {
  const document = parseJson(decodeUtf8(bytes))
  return isJsonObject(document) ? document : {}
}

const ignored = `# Made by premath init: what belongs to this machine, or can be made again.
cache/
replay-cache.json
*.lock
*.tmp.*
*.torn-*
*.before-*
steps/
`

/** In a proof every byte counts: git must not write other ends of lines into a clone. */
export const bytesAttribute = '* -text'

/** Beside ours, lines of others stay. */
async function attributesFile(path: string, { files }: OperationContext, disk: Disk) {
  const bytes = await files.readIfPresent(path)
  const before = bytes ? decodeUtf8(bytes) : ''
  const after = withGitAttributes(before, [bytesAttribute])
  if (after === before) return 'there'
  await disk.replace(path, new TextEncoder().encode(after))
  return bytes ? 'changed' : 'made'
}

async function ignoreFile(path: string, { files }: OperationContext, disk: Disk) {
  if (await files.kindOf(path)) return 'there'
  await disk.replace(path, new TextEncoder().encode(ignored))
  return 'made'
}
