import type { Operations } from '../operations/operation.ts'

/**
 * The operations, and the few commands that are about the command line itself. Those are declared
 * in the same way, so flags, help, suggestions and completions work for them too.
 */
export function allCommands(operations: Operations): Operations {
  const commands: Operations = {
    ...operations,
    completion: () => import('./completion.ts').then(module => module.completion),
    help: () => import('./help.ts').then(module => module.help(commands)),
    version: () => import('./version-command.ts').then(module => module.versionCommand),
  }
  return commands
}
