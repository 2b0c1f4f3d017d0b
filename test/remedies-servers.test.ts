/** Each command that messages of servers and terminals name is run, and works. */
import { test } from 'vitest'
import { aProject } from './a-project.ts'
import { runRemedy } from './remedies/remedy.ts'
import { serverRemedies } from './remedies/servers.ts'

const project = aProject()

test.each(serverRemedies)('[memory.4.remedies] $remedy', row => runRemedy(project, row))
