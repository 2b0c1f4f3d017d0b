import { operation } from '../operations/operation.ts'
import { version } from '../project/version.ts'
import { VersionAnswer } from '../wire/answers/cli.ts'

export const versionCommand = operation({
  group: 'reference',
  summary: 'Print the version; --version and -V do the same.',
  effect: 'read',
  opId: 'op/cli.version',
  input: {},
  output: VersionAnswer,
  examples: { 'premath --version': 'the version alone on a line' },

  async run() {
    return { output: { version }, yes: true, render: () => `${version}\n` }
  },
})
