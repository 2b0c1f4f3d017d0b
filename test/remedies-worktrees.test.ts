/** Each command that messages of linked worktrees name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { runRemedy } from './remedies/remedy.ts'
import { worktreeRemedies } from './remedies/worktrees.ts'

const project = aProject()

test.each(worktreeRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
