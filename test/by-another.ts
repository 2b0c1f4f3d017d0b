import { resolve } from 'node:path'

/** A prefix for shell commands in a step: whoever runs them is no process of the step. */
export const byAnother = `sh '${resolve('test/by-another.sh')}'`
