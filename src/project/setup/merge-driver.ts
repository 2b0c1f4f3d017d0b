/** Installs the merge driver: git calls premath when two branches changed issue memory. */

import { Fault } from '../../fault.ts'
import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { mustStayInside, resolvePath } from '../paths.ts'
import { mainInPackage } from '../version.ts'
import { driverFiles } from './added-files.ts'
import type { ProjectFile } from './init-files.ts'

type Files = OperationContext['files']

export async function installMergeDriver(
  root: string,
  top: string,
  { files, nodePath, packageFolder }: OperationContext,
  disk: Disk,
): Promise<readonly ProjectFile[]> {
  const { gitAttributes, gitConfig } = mergeDriverInstall(root.slice(top.length), {
    node: nodePath(),
    main: `${packageFolder()}/${mainInPackage}`,
  })
  const attributesPath = resolvePath(top, driverFiles.gitAttributes.path)
  await mustStayInside(attributesPath, top, disk)
  const attributes = await textOf(attributesPath, files)
  const configPath = resolvePath(await sharedGitFolder(top, files), 'config')
  const config = await textOf(configPath, files)
  return [
    {
      name: 'gitAttributes',
      path: driverFiles.gitAttributes.path,
      state: await append(
        attributesPath,
        attributes,
        withGitAttributes(attributes, gitAttributes),
        disk,
      ),
    },
    {
      name: 'gitConfig',
      path: driverFiles.gitConfig.path,
      state: await append(configPath, config, withSection(config, gitConfig), disk),
    },
  ]
}

export async function repositoryOf(root: string, files: Files): Promise<string> {
  const found = await repositoryAround(root, files)
  if (found !== undefined) return found
  throw new Fault('invalid_input', `${root} is not in a git repository`, {
    hint: 'Run git init first, or leave --merge-driver out.',
  })
}

/** The nearest folder from the root upwards that holds `.git`. */
export async function repositoryAround(root: string, files: Files): Promise<string | undefined> {
  for (let at = root; ; at = at.slice(0, at.lastIndexOf('/'))) {
    if (await files.kindOf(`${at}/.git`)) return at
    if (at === '' || at === '/') return undefined
  }
}

/** The folder with git's configuration, which worktrees share. */
export async function sharedGitFolder(top: string, files: Files): Promise<string> {
  const path = `${top}/.git`
  if ((await files.kindOf(path)) === 'folder') return path
  const named = /^gitdir: (.+)$/m.exec(await textOf(path, files))?.[1] ?? ''
  const own = resolvePath(top, named.trimEnd())
  const common = (await textOf(`${own}/commondir`, files)).trimEnd()
  return resolvePath(own, common || '.')
}

/**
 * Adds the text that `git config` would write. After a section from another premath installation,
 * git uses ours, which comes later. A section that a person wrote stays in use.
 */
function withSection(config: string, settings: readonly (readonly [string, string])[]): string {
  const head = '[merge "premath"]'
  const lines = settings.map(
    ([key, value]) => `\t${key.slice(key.lastIndexOf('.') + 1)} = ${quoted(value)}`,
  )
  const section = `${head}\n${lines.join('\n')}\n`
  const last = config.slice(config.lastIndexOf(head))
  const isThere = config.includes(head)
  if (isThere && (last.startsWith(section) || !last.startsWith(`${head}\n${lines[0]}\n`))) {
    return config
  }
  const start = config === '' || config.endsWith('\n') ? config : `${config}\n`
  return start + section
}

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`

/** Appends, so that the other lines and the permissions of the file stay. */
async function append(path: string, before: string, after: string, disk: Disk) {
  if (after === before) return 'there'
  const file = await disk.openToAppend(path)
  try {
    await file.append(new TextEncoder().encode(after.slice(before.length)))
    await file.sync()
  } finally {
    await file.close()
  }
  return before === '' ? 'made' : 'changed'
}

async function textOf(path: string, files: Files): Promise<string> {
  const bytes = await files.readIfPresent(path)
  return bytes ? new TextDecoder().decode(bytes) : ''
}

interface MergeDriverInstall {
  /** `git config <key> <value>`, each; in the clone's own configuration, since git shares none. */
  readonly gitConfig: readonly (readonly [key: string, value: string])[]
  /** Lines of `.gitattributes` at the root of the repository, which is shared. */
  readonly gitAttributes: readonly string[]
}

/** The running Node and premath, which git's call will most likely use. */
interface Installed {
  readonly node: string
  /** The file of the command. */
  readonly main: string
}

/** `folder` is the project's folder in the repository; an empty string at its root. */
export function mergeDriverInstall(folder: string, installed: Installed): MergeDriverInstall {
  return {
    gitConfig: [
      ['merge.premath.name', driverName],
      ['merge.premath.driver', driverCommand(insideOf(folder), installed)],
    ],
    gitAttributes: driverAttributes(folder),
  }
}

/** The name of the driver in git's configuration. It tells our settings from those of a person. */
export const driverName = 'premath issue memory, by row and field'

/** The lines of `.gitattributes` for the project in this folder of the repository. */
export function driverAttributes(folder: string): readonly string[] {
  const inside = insideOf(folder)
  return [
    `${attributePath(`${inside}.premath/issues.jsonl`)} merge=premath`,
    `${attributePath(`${inside}.premath/memory/events.jsonl`)} merge=premath`,
  ]
}

const insideOf = (folder: string) => (folder === '' ? '' : `${folder.replace(/^\/+|\/+$/g, '')}/`)

/**
 * Git runs it in a shell at the top of the worktree, often without the `PATH` of npx or an npm
 * script. It tries the installed Node and premath first. If that Node is gone, it uses the one on
 * `PATH`. If premath moved, it uses the project's own, then the one on `PATH`.
 */
function driverCommand(inside: string, { node, main }: Installed): string {
  const own = `${inside}node_modules/premath/${mainInPackage}`
  // git quotes the values of these letters.
  const merge = 'merge-driver %O %A %B %P'
  return [
    `n=${word(node)}`,
    'test -x "$n" || n=node',
    `m=${word(main)}`,
    `test -f "$m" || m=${word(own)}`,
    `test -f "$m" || exec premath ${merge}`,
    `exec "$n" "$m" ${merge}`,
  ].join('; ')
}

const quotedWord = "'((?:[^']|'\\\\'')*)'"
const ownDriver = new RegExp(
  `^n=${quotedWord}; test -x "\\$n" \\|\\| n=node; m=${quotedWord}; test -f "\\$m" \\|\\| m=${quotedWord};`,
)

/** The programs that a driver of premath looks for; `undefined` for the driver of a person. */
export function programsOfDriver(command: string) {
  const found = ownDriver.exec(command)
  if (!found) return undefined
  const [node = '', main = '', own = ''] = found.slice(1).map(unquoted)
  return { node, main, own }
}

const unquoted = (word: string) => word.replaceAll("'\\''", "'").replaceAll('%%', '%')

/** Quotes one word for the shell, and the percent signs for git. */
const word = (text: string) => `'${text.replace(/'/g, "'\\''").replace(/%/g, '%%')}'`

/** Appends the attributes that `text` lacks. */
export function withGitAttributes(text: string, lines: readonly string[]): string {
  const present = new Set(text.split('\n').map(line => line.trim()))
  const missing = lines.filter(line => !present.has(line))
  if (missing.length === 0) return text
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${start}${missing.join('\n')}\n`
}

/** Without these lines. The lines of others stay as they are. */
export function withoutGitAttributes(text: string, lines: readonly string[]): string {
  const ours = new Set(lines)
  return text
    .split('\n')
    .filter(line => !ours.has(line.trim()))
    .join('\n')
}

const attributePath = (path: string) =>
  /[\s"]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path
