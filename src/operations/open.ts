import type { World } from '../world/world.ts'
import type { OperationContext } from './operation.ts'
import { visible } from './visible.ts'

/** The world as operations see it: everything but the streams a surface prints on. */
export function openContext(world: World): OperationContext {
  return {
    files: world.files,
    clock: world.clock,
    disk: world.disk,
    processes: world.processes,
    watch: world.watch,
    signing: world.signing,
    stdin: world.input,
    isAtTerminal: world.isAtTerminal,
    cwd: world.cwd,
    packageFolder: world.packageFolder,
    nodePath: world.nodePath,
    cores: world.cores,
    env: world.env,
    sha256: world.sha256,
    random: world.random,
    progress: line => void world.err.write(`${visible(line)}\n`),
    json: false,
    showing: async (_line, act) => await act(),
  }
}
