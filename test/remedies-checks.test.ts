/** Each command that messages of checks in CI name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { checkRemedies } from './remedies/checks.ts'
import { runRemedy } from './remedies/remedy.ts'

const project = aProject()

test.each(checkRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
