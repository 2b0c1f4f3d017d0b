/** Each command that messages of the harness and of specs name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { harnessRemedies } from './remedies/harness.ts'
import { runRemedy } from './remedies/remedy.ts'

const project = aProject()

test.each(harnessRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
