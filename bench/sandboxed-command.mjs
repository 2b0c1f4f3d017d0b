/**
 * A command that does nothing, with and without the sandbox, by turns: the package folder and a
 * project on the command line, the median milliseconds of each as JSON on standard output.
 */
import { runCommand } from '../src/harness/step/command.ts'
import { StepFolder } from '../src/harness/step/step-folder.ts'
import { openContext } from '../src/project/context.ts'
import { withSandbox } from '../src/project/loop/open-sandbox.ts'
import { openProject } from '../src/project/open.ts'
import { openHarness } from '../src/project/open-harness.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const runs = 30
const warmUp = 3

const [packageFolder, root] = process.argv.slice(2)

const context = {
  ...openContext(nodeWorld()),
  cwd: () => root,
  packageFolder: () => packageFolder,
  progress() {},
}
const project = await openProject(context)
const { harness } = await openHarness(project, { worker: 'bench' })
const folder = new StepFolder(harness, 'bench')
await folder.make()

const spent = { bare: [], contained: [] }
await withSandbox(harness, { sandbox: 'require' }, project, async contained => {
  const places = Object.entries({ bare: harness, contained })
  for (let run = 0; run < runs + warmUp; run++) {
    for (const [name, place] of places) {
      const began = process.hrtime.bigint()
      const { end } = await runCommand(place, 'work', 'true', {
        folder,
        env: place.env,
        timeoutMs: 60_000,
      })
      if (end.exitCode !== 0) throw new Error(`the command ended with ${end.exitCode}`)
      if (run >= warmUp) spent[name].push(Number(process.hrtime.bigint() - began) / 1e6)
    }
  }
})
const middle = times => times.sort((a, b) => a - b)[runs >> 1]
const medians = { bare: middle(spent.bare), contained: middle(spent.contained) }
process.stdout.write(JSON.stringify(medians))
process.exit(0)
