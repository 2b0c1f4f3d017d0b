/** Each command that messages of the other commands name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { runRemedy } from './remedies/remedy.ts'
import { stateRemedies } from './remedies/states.ts'

const project = aProject()

test.each(stateRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
