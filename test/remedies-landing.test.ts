/** Each command that messages of landing name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { landingRemedies } from './remedies/landing.ts'
import { runRemedy } from './remedies/remedy.ts'

const project = aProject()

test.each(landingRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
