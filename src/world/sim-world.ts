import { createHash } from 'node:crypto'
import { Fault } from '../fault.ts'
import type { Files, World } from './world.ts'

export interface SimSetup {
  /** Contents by path; folders are what the paths imply. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly input?: string | Uint8Array
  readonly env?: World['env']
  /** Makes standard output a terminal of that width. */
  readonly columns?: number
  /** The reader of standard output leaves after this many writes. */
  readonly readerLeavesAfter?: number
  /** Standard output faults on every write, as a full disk does. */
  readonly outputBroken?: boolean
}

export interface SimWorld extends World {
  /** All that was written so far. */
  readonly printed: { out: string; err: string }
}

/** A world in memory that keeps the same promises as the real one. */
export function simWorld(setup: SimSetup = {}): SimWorld {
  const printed = { out: '', err: '' }
  let writes = 0
  return {
    printed,
    files: simFiles(setup.files ?? {}),
    input: chunksOf(bytesOf(setup.input ?? '')),
    out: {
      write(text) {
        if (setup.outputBroken) throw new Fault('unavailable', 'could not write standard output')
        if (writes++ >= (setup.readerLeavesAfter ?? Number.POSITIVE_INFINITY)) return false
        printed.out += text
        return true
      },
      isTerminal: () => setup.columns !== undefined,
      columns: () => setup.columns,
    },
    err: {
      write(text) {
        printed.err += text
        return true
      },
      isTerminal: () => false,
      columns: () => undefined,
    },
    env: setup.env ?? {},
    cwd: () => '/',
    packageFolder: () => '/package',
    sha256: text => createHash('sha256').update(text).digest('hex'),
  }
}

function simFiles(contents: Readonly<Record<string, string | Uint8Array>>): Files {
  const namesIn = (path: string) => [
    ...new Set(
      Object.keys(contents)
        .filter(file => file.startsWith(`${path}/`))
        .map(file => file.slice(path.length + 1).split('/')[0] ?? ''),
    ),
  ]
  const read = (path: string) => {
    const found = Object.hasOwn(contents, path) ? contents[path] : undefined
    if (found !== undefined) return bytesOf(found)
    throw new Fault(
      'invalid_input',
      namesIn(path).length > 0
        ? `${path} is a folder, not a file`
        : `there is no file or folder ${path}`,
      { detail: { path } },
    )
  }
  return {
    read: async path => read(path),
    readIfPresent: async path => (Object.hasOwn(contents, path) ? read(path) : undefined),
    async *stream(path) {
      yield* chunksOf(read(path))
    },
    async list(path) {
      const names = namesIn(path)
      if (names.length > 0) {
        return names.sort().map(name => ({ name, isFolder: namesIn(`${path}/${name}`).length > 0 }))
      }
      throw new Fault(
        'invalid_input',
        Object.hasOwn(contents, path)
          ? `${path} is not a folder`
          : `there is no file or folder ${path}`,
        { detail: { path } },
      )
    },
  }
}

const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content

// Small and odd, so that lines and characters are cut in the middle.
const chunkBytes = 7

async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.slice(at, at + chunkBytes)
}
