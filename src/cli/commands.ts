import type { Operations } from '../operations/operation.ts'
import { withShortNames } from '../operations/short-names.ts'

/**
 * The operations, their short names, and the commands of the command line itself. They share one declaration, so
 * flags, help, suggestions and completions work for all.
 */
export function allCommands(operations: Operations): Operations {
  const commands: Operations = {
    ...withShortNames(operations),
    completion: () => import('./completion.ts').then(module => module.completion),
    help: () => import('./help.ts').then(module => module.help(commands)),
    version: () => import('./version-command.ts').then(module => module.versionCommand),
  }
  return commands
}
