/** Lets the command lines of a script be asked on a surface of the test's choice. */
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { askers, inProcesses, type SurfaceName, wordsIn } from './call-surfaces.ts'

export interface ScriptSurface {
  /** The shell words that stand for premath. */
  readonly premath: string
  /** Each command line with its answer, in order. */
  readonly told: readonly Told[]
  close(): Promise<void>
}

interface Told {
  readonly words: readonly string[]
  readonly failureClasses?: readonly string[]
  readonly error?: unknown
}

const standIn = resolve('test/asks-test.mjs')

/** Words that are no command line have no call either: the command refuses them. */
const surfaceOf = (name: SurfaceName, words: readonly string[]) =>
  words.some(word => /^-[a-z]/.test(word)) ? 'the command line' : name

export async function scriptSurface(name: SurfaceName, folder: string): Promise<ScriptSurface> {
  const path = join(folder, 'ask')
  const told: Told[] = []
  const server = createServer({ allowHalfOpen: true }, socket => {
    let asked = ''
    socket.on('data', part => {
      asked += part
    })
    socket.on('error', () => {})
    socket.on('end', async () => {
      const { words, cwd, env } = JSON.parse(asked)
      const { status, json } = await askers[surfaceOf(name, words)](
        words,
        inProcesses({ cwd, env }),
      )
      told.push({ words, ...wordsIn(json ?? {}) })
      socket.end(JSON.stringify({ status, text: JSON.stringify(json) }))
    })
  })
  await new Promise<void>(settle => server.listen(path, settle))
  return {
    premath: `'${process.execPath}' '${standIn}' '${path}'`,
    told,
    close: () => new Promise(settle => server.close(() => settle())),
  }
}
