/** Finds the spec documents below paths, folders and glob patterns. */
import { type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby'
import { Fault } from '../fault.ts'
import type { Problem } from '../kernel/spec/document/raw-case.ts'
import type { Files } from '../world/world.ts'
import { absolutePath, type RunnerWorld, shownPath } from './runner-world.ts'

/** The file patterns of each document format. */
const caseFormats = {
  md: ['*.spec.md'],
  yaml: ['*.spec.yaml', '*.spec.yml'],
  json: ['*.spec.json'],
} as const satisfies Record<string, readonly string[]>

export type CaseFormat = keyof typeof caseFormats

interface Discovered {
  /** Unique, in path order, relative to the working folder where possible. */
  readonly files: readonly string[]
  /** Paths that match nothing. */
  readonly problems: readonly Problem[]
}

/** Installed packages and hidden folders are skipped. */
const ignored = ['**/node_modules/**']
export const isPassedOver = (name: string) => name === 'node_modules' || name.startsWith('.')

/** A document that is named directly needs no `.spec` in its name. */
const documentName = /\.(?:md|ya?ml|json)$/i
export const isDocumentName = (path: string) => documentName.test(path)

export async function discover(
  paths: readonly string[],
  formats: readonly CaseFormat[],
  world: RunnerWorld,
): Promise<Discovered> {
  const found = new Set<string>()
  const problems: Problem[] = []
  for (const path of paths) {
    const read = await filesOf(path, formats, world)
    if ('code' in read) problems.push(read)
    else for (const file of read.files) found.add(shownPath(file, world))
  }
  return { files: [...found].sort(), problems }
}

/** The folder in which the documents of this path lie. */
export async function placeOf(path: string, world: RunnerWorld): Promise<string> {
  const absolute = absolutePath(path, world)
  if ((await kindAt(absolute, world)) !== undefined) return absolute
  const parts = path.split('/')
  const dynamic = parts.findIndex(part => isDynamicPattern(part))
  const plain = dynamic === -1 ? path : parts.slice(0, dynamic).join('/')
  return absolutePath(plain === '' && path.startsWith('/') ? '/' : plain || '.', world)
}

async function filesOf(
  path: string,
  formats: readonly CaseFormat[],
  world: RunnerWorld,
): Promise<{ readonly files: readonly string[] } | Problem> {
  // Usually an unset shell variable: it must not select the whole working folder.
  if (path.trim() === '') return nothing(path, 'the path is empty', 'Use . for the working folder.')
  const absolute = absolutePath(path, world)
  const kind = await kindAt(absolute, world)
  if (kind instanceof Fault) return unreachable(path, kind.message.replace(absolute, path))
  if (kind === 'folder') {
    const patterns = formats.flatMap(format => caseFormats[format].map(name => `**/${name}`))
    return { files: await matching(patterns, absolute, world) }
  }
  if (kind === 'file') {
    return documentName.test(path)
      ? { files: [absolute] }
      : nothing(path, 'is not a spec document', 'Specs are .md, .yaml, .yml or .json files.')
  }
  if (!isDynamicPattern(path)) return nothing(path, 'no such file or folder', elsewhere)
  const files = (await matching([path], absolutePath('.', world), world)).filter(file =>
    documentName.test(file),
  )
  return files.length > 0 ? { files } : nothing(path, 'the pattern matches no document', elsewhere)
}

/** A link that loops is reported for that path alone. */
async function kindAt(path: string, { files }: RunnerWorld) {
  try {
    return await files.kindOf(path)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return error
  }
}

const unreachable = (file: string, message: string): Problem => ({
  ...nothing(file, message, 'Remove the link, or point it at a document.'),
  code: 'document.unreadable',
})

const elsewhere = 'Use a path or pattern relative to the working folder.'

const nothing = (file: string, message: string, hint?: string): Problem => ({
  place: { file, line: 1, column: 1, lineText: '' },
  code: 'path.not_found',
  message,
  ...(hint !== undefined && { hint }),
})

async function matching(
  patterns: readonly string[],
  folder: string,
  { files }: RunnerWorld,
): Promise<readonly string[]> {
  return await glob(patterns, {
    cwd: folder,
    absolute: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ignored,
    fs: folders(files),
  })
}

/** The glob package reads folders through the world's files. */
function folders(files: Files): FileSystemAdapter {
  const readdir = (path: string, _: unknown, done: Listed) => {
    files.list(path.replace(/(?<=.)\/+$/, '')).then(
      entries => done(null, entries.map(entryOf)),
      // An unreadable folder contributes nothing.
      error => done(error, []),
    )
  }
  return { readdir } as unknown as FileSystemAdapter
}

type Listed = (error: Error | null, entries: readonly ReturnType<typeof entryOf>[]) => void

const entryOf = ({ name, isFolder }: { name: string; isFolder: boolean }) => ({
  name,
  isDirectory: () => isFolder,
  isFile: () => !isFolder,
  isSymbolicLink: () => false,
})
