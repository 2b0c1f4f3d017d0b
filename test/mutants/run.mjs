/**
 * Breaks each requirement on purpose: `npm run mutants [id…]`, where an id may be a prefix, as
 * `typestate.5`. Every mutant is applied to a copy of the tree. The tests that cite its requirement
 * must pass without it, the copy must compile with it, and one of those tests must fail with it.
 */
import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createVitest } from 'vitest/node'

const copy = copyOfTree()
process.chdir(copy)
// Tests report nothing here: their failures are expected.
const vitest = await createVitest('test', {
  watch: false,
  reporters: [{}],
  maxWorkers: 1,
  // Each run loads the source as it is then.
  isolate: true,
})
process.exitCode = 1
try {
  await vitest.standalone()
  const { mutants } = await vitest.import(resolve('test/mutants/all.ts'))
  process.exitCode = (await runAll(chosen(mutants))) ? 0 : 1
} finally {
  await vitest.close()
  process.chdir('/')
  rmSync(copy, { recursive: true })
}

/** The files that git knows or would add, with the installed packages and the last build. */
function copyOfTree() {
  const folder = mkdtempSync(join(tmpdir(), 'premath-mutants-'))
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { encoding: 'utf8', maxBuffer: 1 << 28 })
  for (const path of files.split('\0')) {
    if (path !== '' && existsSync(path)) cpSync(path, join(folder, path))
  }
  if (existsSync('dist')) cpSync('dist', join(folder, 'dist'), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const compilerOptions = { incremental: true, tsBuildInfoFile: 'mutants.tsbuildinfo' }
  const config = { extends: './tsconfig.json', include: ['src'], exclude: ['**/*.test.ts'] }
  writeFileSync(join(folder, 'mutants.json'), JSON.stringify({ ...config, compilerOptions }))
  return folder
}

function chosen(mutants) {
  const asked = process.argv.slice(2)
  const isAsked = id =>
    asked.length === 0 || asked.some(word => id === word || id.startsWith(`${word}.`))
  const rows = Object.entries(mutants).flatMap(([id, given]) =>
    [given].flat().map(mutant => ({ id, ...mutant })),
  )
  return rows.filter(({ id }) => isAsked(id))
}

async function runAll(rows) {
  const began = Date.now()
  if (!(await compiles())) throw new Error('the copy does not compile without mutants')
  let red = 0
  for (const file of new Set(rows.map(({ test }) => test))) {
    const cited = rows.filter(({ test }) => test === file)
    const unbroken = await run(file, cited)
    for (const row of cited) {
      const start = Date.now()
      const verdict = await verdictOn(row, unbroken)
      if (verdict === 'red') red += 1
      const seconds = ((Date.now() - start) / 1000).toFixed(1).padStart(6)
      console.log(`${verdict.padEnd(24)} ${seconds} s  ${row.id.padEnd(36)} ${row.file}`)
    }
  }
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(`${rows.length} mutants: ${red} red, ${rows.length - red} not, in ${seconds} s`)
  return rows.length > 0 && red === rows.length
}

async function verdictOn(row, unbroken) {
  const cited = citing(unbroken, row.id)
  if (cited.length === 0) return 'no test cites it'
  if (cited.some(test => !test.ok())) return 'red without the mutant'
  const source = readFileSync(row.file, 'utf8')
  if (source.split(row.find).length !== 2) return 'its text is not there once'
  try {
    writeFileSync(
      row.file,
      source.replace(row.find, () => row.replace),
    )
    vitest.invalidateFile(resolve(row.file))
    const [isSound, broken] = await Promise.all([compiles(), run(row.test, [row])])
    if (!isSound) return 'does not compile'
    return citing(broken, row.id).some(test => !test.ok()) ? 'red' : 'SURVIVES'
  } finally {
    writeFileSync(row.file, source)
    vitest.invalidateFile(resolve(row.file))
  }
}

function citing(tests, id) {
  return tests.filter(({ name }) => name.includes(`[${id}]`))
}

/** The tests of the file that cite one of these, after they ran. */
async function run(file, rows) {
  const ids = rows.map(({ id }) => `\\[${id.replaceAll('.', '\\.')}\\]`)
  vitest.setGlobalTestNamePattern(new RegExp(ids.join('|')))
  const specifications = vitest.getModuleSpecifications(resolve(file))
  const { testModules } = await vitest.runTestSpecifications(specifications)
  // Modules of earlier runs are among them.
  const modules = testModules.filter(({ moduleId }) => moduleId === resolve(file))
  return modules.flatMap(module => [...module.children.allTests()])
}

function compiles() {
  const program = [resolve('node_modules/typescript/bin/tsc'), '-p', 'mutants.json']
  return new Promise(settle => {
    execFile(process.execPath, program, error => settle(error === null))
  })
}
