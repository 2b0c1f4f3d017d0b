/** Each command that messages about issues name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { issueRemedies } from './remedies/issues.ts'
import { runRemedy } from './remedies/remedy.ts'

const project = aProject()

test.each(issueRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
