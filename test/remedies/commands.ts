/** The names of the commands, the longest first: `issue list` before `issue`. */
import { operations } from '../../src/operations/index.ts'
import { shortNames } from '../../src/operations/short-names.ts'

export const operationNames: readonly string[] = [
  ...Object.keys(operations),
  ...Object.keys(shortNames),
].sort((a, b) => b.length - a.length)
