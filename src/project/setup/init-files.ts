/** The files that a project begins with. `init` makes the missing ones and leaves the others alone. */

import { Fault } from '../../fault.ts'
import { askGit } from '../../harness/worktree/git.ts'
import type { MutationPolicy } from '../../kernel/authority/mutation-policy.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { asImported } from '../../kernel/proof/close-kind.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { printRows, type RowsEnd, readRows, rowsStart } from '../../store/issue-rows.ts'
import { lockWaitMsDefault, underLock } from '../../store/lock.ts'
import { mutationPolicyKind as policyKind } from '../../wire/policy/mutation-policy.ts'
import { joinedBytes } from '../../world/joined-bytes.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { Disk } from '../../world/world.ts'
import { namingSource } from '../named-document.ts'
import type { Project } from '../open.ts'
import { fileStore, openIssues } from '../open-issues.ts'
import { mustStayInside } from '../paths.ts'
import type { WrittenPolicy } from '../policy.ts'
import { type InitFile, initFiles, machineLines, runRecords } from './added-files.ts'
import { type FirstAnswers, firstConfig } from './first-config.ts'
import { repositoryAround, withGitAttributes } from './merge-driver.ts'

type Ids = MutationPolicy['ids']

export interface ProjectFile {
  /** Its key in `created` of the answer. */
  readonly name: string
  /** Relative to the root. */
  readonly path: string
  readonly state: 'made' | 'there' | 'changed'
}

export async function projectFiles(
  project: Project,
  ids: Ids | undefined,
  ask: { settings(): Promise<FirstAnswers>; import(path: string, count: number): Promise<boolean> },
) {
  const { root } = project
  const disk = await project.disk()
  const path = (file: InitFile) => project.at(initFiles[file].path)
  for (const file of fileNames) {
    await mustBeNoFolder(path(file), project)
    await mustStayInside(path(file), root, disk)
  }
  await fileStore(await openIssues(project, { isUnmergedToo: true }, 'look')).mustBeNew()
  // Both are read before anything is made, so that a bad file leaves no half of a project.
  const before = await project.writtenPolicy()
  const found = await legacyIssues(project)
  const legacy = found && (await ask.import(legacyPath, found.count)) ? found : undefined
  const hasConfig = (await project.files.kindOf(path('configFile'))) !== undefined
  const settings = hasConfig ? undefined : firstConfig(await ask.settings())
  // A link to a missing folder cannot be made a folder, its target can.
  await disk.makeFolder(await disk.realPath(project.at('.premath')))
  const issues = await missingFile(path('issuesFile'), legacy?.bytes ?? new Uint8Array(), disk)
  const states: Readonly<Record<InitFile, ProjectFile['state']>> = {
    issuesFile: issues,
    policyFile: await policyFile(path('policyFile'), before, ids, disk),
    configFile:
      settings === undefined
        ? 'there'
        : await missingFile(path('configFile'), new TextEncoder().encode(settings), disk),
    ignoreFile: await ignoreFile(path('ignoreFile'), project, disk),
    attributesFile: await attributesFile(path('attributesFile'), project, disk),
  }
  return {
    ids: ids ?? before.policy.ids,
    issuesPath: path('issuesFile'),
    configPath: path('configFile'),
    policyPath: path('policyFile'),
    legacy: issues === 'made' ? legacy : undefined,
    made: fileNames.map(
      (name): ProjectFile => ({ name, path: initFiles[name].path, state: states[name] }),
    ),
  }
}

const fileNames = Object.keys(initFiles) as InitFile[]

async function mustBeNoFolder(path: string, { files }: Project): Promise<void> {
  if ((await files.kindOf(path)) !== 'folder') return
  throw new Fault('invalid_input', `${path} is a folder, and a file is needed there`, {
    hint: 'Move the folder away and run again.',
    detail: { path },
  })
}

const legacyPath = '.beads/issues.jsonl'

/** The issues of an earlier tool. Rows that do not load are refused: they would stop all work. */
async function legacyIssues({ at, files }: Project) {
  const path = at(legacyPath)
  const isNeeded = (await files.kindOf(at(initFiles.issuesFile.path))) === undefined
  const bytes = isNeeded ? await files.readIfPresent(path) : undefined
  if (!bytes) return undefined
  const issues = new Map<string, Issue>()
  let end = rowsStart
  try {
    end = readRows(bytes, rowsStart, path, ({ issue }) => issues.set(issue.id, issue))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Fault('invalid_input', error.message, {
      hint: 'Nothing was made. Fix the line and run again, or move .beads away to begin without it.',
      detail: error.detail,
      cause: error,
    })
  }
  const closed = [...issues.values()].filter(({ status }) => status === 'closed')
  const rows = closed.length > 0 ? withImported(bytes.subarray(0, end.bytes), closed, end) : bytes
  return { path, bytes: rows, count: issues.size }
}

/** Adds a row to each closed issue that says so: it came closed, and will never have a proof. */
const withImported = (rows: Uint8Array, closed: readonly Issue[], { unfinished }: RowsEnd) =>
  joinedBytes([rows, printRows(closed.map(asImported), unfinished)])

/** Under the lock, since `issue add` and `config set` make the same files. */
async function missingFile(path: string, content: Uint8Array, disk: Disk) {
  return await underLock(disk, `${path}.lock`, lockWaitMsDefault, async () => {
    if (await disk.stamp(path)) return 'there'
    await disk.replace(path, content)
    return 'made'
  })
}

async function policyFile(
  path: string,
  { policy, document }: WrittenPolicy,
  ids: Ids | undefined,
  disk: Disk,
) {
  if (document && (ids === undefined || ids === policy.ids)) return 'there'
  const kept = document ?? { policyKind, schema: 1, surfaces: surfacesOf(policy) }
  const written = { ...kept, ids: ids ?? policy.ids }
  await disk.replace(path, new TextEncoder().encode(printJson(written)))
  return document ? 'changed' : 'made'
}

const surfacesOf = ({ modes }: MutationPolicy): JsonObject =>
  Object.fromEntries(Object.entries(modes).map(([surface, mode]) => [surface, { mode }]))

const ignored = `# Made by premath init: what belongs to this machine, or can be made again.
${machineLines.join('\n')}
`

/** Proofs are verified byte by byte, so git must not convert line ends in a clone. */
export const bytesAttribute = '* -text'

/** Keeps the lines of others. */
async function attributesFile(path: string, { files }: Project, disk: Disk) {
  const bytes = await files.readIfPresent(path)
  const before = bytes ? decodeUtf8(bytes) : ''
  const after = withGitAttributes(before, [bytesAttribute])
  if (after === before) return 'there'
  await disk.replace(path, new TextEncoder().encode(after))
  return bytes ? 'changed' : 'made'
}

/** Adds the lines that the file lacks, and keeps the lines of others. */
async function ignoreFile(path: string, project: Project, disk: Disk) {
  const bytes = await project.files.readIfPresent(path)
  const before = bytes ? await namingSource(path, () => decodeUtf8(bytes)) : ignored
  const after = (await tracksRunRecord(project)) ? before : withIgnoredRecords(before)
  if (bytes && after === before) return 'there'
  await disk.replace(path, new TextEncoder().encode(after))
  return bytes ? 'changed' : 'made'
}

/** A file that the text names is left to its author, who may have written `!name`. */
function withIgnoredRecords(text: string): string {
  const named = new Set(text.split('\n').map(line => line.trim().replace(/^!?\/?/, '')))
  const names = runRecords.map(({ path }) => path.slice('.premath/'.length))
  const missing = names.filter(name => !named.has(name))
  if (missing.length === 0) return text
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${start}# Records of runs on this machine.\n${missing.join('\n')}\n`
}

/** Who commits the records of runs wants to go on, also with those that come later. */
async function tracksRunRecord(project: Project): Promise<boolean> {
  const { root, env, files } = project
  const present: string[] = []
  for (const { path } of runRecords) if (await files.kindOf(project.at(path))) present.push(path)
  // A new project has none, and is set up without git.
  if (present.length === 0 || !(await repositoryAround(root, files))) return false
  const processes = await project.processes()
  const asked = ['ls-files', '-z', '--', ...present]
  return (await askGit({ env, processes }, root, asked)).stdout !== ''
}
