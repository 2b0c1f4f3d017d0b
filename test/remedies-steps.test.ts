/** Each command that messages of steps and runs name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { runRemedy } from './remedies/remedy.ts'
import { stepRemedies } from './remedies/steps.ts'

const project = aProject()

test.each(stepRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
