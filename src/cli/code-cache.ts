/**
 * Lets the command's chunks start from compiled code. Compiling the gate takes longer than judging
 * a turn, so the build keeps what V8 made of each chunk beside it, named by the exact Node it is
 * good for. Any other Node finds no such file and compiles as usual.
 */
import { readFileSync } from 'node:fs'
import { Module } from 'node:module'
import { Script } from 'node:vm'

type Load = (module: Module, path: string) => void

const suffix = `.${process.version}-${process.platform}-${process.arch}.cache`

export function useCodeCache(): void {
  const { _extensions: loaders } = Module as unknown as { _extensions: Record<string, Load> }
  loaders['.cjs'] = (module, path) => {
    const cachedData = cacheOf(path)
    if (!cachedData) return loaders['.js']?.(module, path)
    // The build writes ASCII only, which is the quickest to read.
    const source = Module.wrap(readFileSync(path, 'latin1'))
    const script = new Script(source, { filename: path, cachedData })
    const require = (id: string) => module.require(id)
    script.runInThisContext()(module.exports, require, module, path, module.path)
  }
}

function cacheOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path + suffix)
  } catch {
    return undefined
  }
}
