/** Each command that doctor names is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { doctorRemedies } from './remedies/doctor.ts'
import { runRemedy } from './remedies/remedy.ts'

const project = aProject()

test.each(doctorRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
