/**
 * Applies mutants to its copy of the tree and runs the tests that cite them. Answers with all
 * mutants first, and then with one verdict for each mutant that `run.mjs` sends.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createVitest } from 'vitest/node'

// The declarations of the library take longer to build than the command, and no test here reads them.
process.env.PREMATH_BUILD = 'command'

// Tests report nothing here: their failures are expected.
const vitest = await createVitest('test', {
  watch: false,
  reporters: [{}],
  maxWorkers: 1,
  // Each run loads the source as it is then.
  isolate: true,
})
await vitest.standalone()
const { mutants } = await vitest.import(resolve('test/mutants/all.ts'))
process.on('message', async ({ file, rows }) => {
  const unbroken = await run(file, rows)
  for (const row of rows) {
    const start = Date.now()
    const verdict = await verdictOn(row, unbroken)
    process.send({ verdict, ms: Date.now() - start })
  }
})
process.on('disconnect', async () => {
  await vitest.close()
  process.exit()
})
process.send(
  Object.entries(mutants).flatMap(([id, given]) =>
    [given].flat().map(mutant => ({ id, ...mutant })),
  ),
)

async function verdictOn(row, unbroken) {
  const cited = citing(unbroken, row)
  if (cited.length === 0) return 'no test cites it'
  if (cited.some(test => !test.ok())) return 'red without the mutant'
  const source = readFileSync(row.file, 'utf8')
  try {
    writeFileSync(
      row.file,
      source.replace(row.find, () => row.replace),
    )
    vitest.invalidateFile(resolve(row.file))
    const broken = citing(await run(row.test, [row]), row)
    return broken.some(test => !test.ok()) ? 'red' : 'SURVIVES'
  } finally {
    writeFileSync(row.file, source)
    vitest.invalidateFile(resolve(row.file))
  }
}

const citing = (tests, { id, named = '' }) =>
  tests.filter(({ name }) => name.includes(`[${id}]`) && name.includes(named))

/** The tests of the file that cite one of these, after they ran. */
async function run(file, rows) {
  const patterns = rows.map(({ id, named = '' }) => {
    const [citation, part] = [`[${id}]`, named].map(escaped)
    return `(?=.*${citation})(?=.*${part})`
  })
  vitest.setGlobalTestNamePattern(new RegExp(`^(?:${patterns.join('|')})`))
  const specifications = vitest.getModuleSpecifications(resolve(file))
  const { testModules } = await vitest.runTestSpecifications(specifications)
  // Modules of earlier runs are among them.
  const modules = testModules.filter(({ moduleId }) => moduleId === resolve(file))
  return modules.flatMap(module => [...module.children.allTests()])
}

const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
