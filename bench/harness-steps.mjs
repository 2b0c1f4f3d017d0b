/**
 * Steps with commands that do nothing, by a process that stays: project folders on the command
 * line, the median milliseconds of all but the child processes as JSON on standard output. Sizes
 * take turns, so that what the disk does meanwhile meets all of them.
 */
import { commandVerifier } from '../src/harness/step/command-verifier.ts'
import { stepHarness } from '../src/harness/step/step.ts'
import { openContext } from '../src/project/context.ts'
import { withWorkCheckout } from '../src/project/loop/open-work-checkout.ts'
import { openProject } from '../src/project/open.ts'
import { openHarness } from '../src/project/open-harness.ts'
import { openRetryPolicy } from '../src/project/policies/control-policy.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const runs = 40
const warmUp = 5

const [packageFolder, ...roots] = process.argv.slice(2)

async function open(root) {
  const world = nodeWorld()
  const context = {
    ...openContext(world),
    cwd: () => root,
    packageFolder: () => packageFolder,
    progress() {},
  }
  const project = await openProject(context)
  const { harness } = await openHarness(project, { worker: 'bench' })
  const children = { spent: 0 }
  const { processes } = harness
  const timed = {
    ...processes,
    async start(command) {
      const began = process.hrtime.bigint()
      const running = await processes.start(command)
      const end = running.end.finally(() => {
        children.spent += Number(process.hrtime.bigint() - began) / 1e6
      })
      return { ...running, end }
    },
  }
  const watched = { ...harness, processes: timed }
  const retryPolicy = await openRetryPolicy(project, undefined)
  const optionsFor = at => ({
    leaseTtlSeconds: 3600,
    startupTimeoutMs: 1000,
    workCommand: 'true',
    workTimeoutMs: 60_000,
    verifier: commandVerifier('true', () => at),
    verifyTimeoutMs: 60_000,
    retryPolicy,
  })
  const step = () =>
    withWorkCheckout(watched, project, optionsFor, checkout =>
      stepHarness(watched, { ...optionsFor(watched), checkout }),
    )
  return { step, children }
}

const projects = await Promise.all(roots.map(open))
const spent = projects.map(() => [])
for (let run = 0; run < runs + warmUp; run++) {
  for (const [at, { step, children }] of projects.entries()) {
    children.spent = 0
    const began = process.hrtime.bigint()
    const { attempts } = await step()
    const whole = Number(process.hrtime.bigint() - began) / 1e6
    if (attempts.at(-1)?.committed.resultClass !== 'completed') throw new Error('a step failed')
    if (run >= warmUp) spent[at].push(whole - children.spent)
  }
}
process.stdout.write(JSON.stringify(spent.map(times => times.sort((a, b) => a - b)[runs >> 1])))
process.exit(0)
