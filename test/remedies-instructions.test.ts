/** Each command that messages of instructions and policies name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { instructionRemedies } from './remedies/instructions.ts'
import { runRemedy } from './remedies/remedy.ts'

const project = aProject()

test.each(instructionRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
