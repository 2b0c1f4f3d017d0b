/**
 * The first look of a process at its ancestors, in the project of its folder: prints the
 * milliseconds. Each command is a process of its own, so nothing is warm. `parent` prints the parent.
 */
import { inStepOf } from '../src/project/authority/known-step.ts'
import { openContext } from '../src/project/context.ts'
import { openProject } from '../src/project/open.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const context = { ...openContext(nodeWorld()), env: {} }
if (process.argv[2] === 'parent') {
  process.stdout.write(JSON.stringify((await context.ancestors())[1] ?? null))
  process.exit()
}
// Every command looks for its project, in a step or not.
const place = await openProject(context)
// Time in which other processes had the processor does not count.
const timer = context.startTimer()
const known = await inStepOf({ ...context, place }, {})
const spent = timer()
if (known.env['PREMATH_STEP_ID'] !== 'worker.bd-1.1.1') throw new Error('the step is not known')
process.stdout.write(String(spent))
