/** Each command that messages about a project name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { projectRemedies } from './remedies/project.ts'
import { runRemedy } from './remedies/remedy.ts'

const project = aProject()

test.each(projectRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
