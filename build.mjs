/**
 * Builds `dist/`: the command and the library from the same chunks, split so that each command loads
 * its own code, the declarations of the library, and the manual page. The chunks are CommonJS, because loading one
 * empty ES module costs a fifth of a bare `node` start.
 *
 * `dist/source-digest` names the sources that a build was made from. With `--if-stale`, a build
 * whose sources have not changed is kept: the tests build this way before they run the command.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const require = createRequire(import.meta.url)
const stamp = 'dist/source-digest'
const keepsFreshBuild = process.argv.includes('--if-stale')
const isDone = () => keepsFreshBuild && existsSync(stamp) && readStamp() === sourceDigest()

if (!isDone()) {
  // One build at a time. Another process may have built while this one waited for the lock.
  await require('fs-native-extensions').waitForLock(openSync('build.mjs', 'r+'))
  if (!isDone()) await buildAll()
}

function readStamp() {
  return readFileSync(stamp, 'utf8')
}

/** Covers every file of this repository that a build reads. */
function sourceDigest() {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map(path => join('src', path))
  const checks = ['test/checked-answers.ts', 'test/unknown-members.ts']
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
  const hash = createHash('sha256')
  for (const path of ['build.mjs', ...settings, ...checks, ...sources].sort()) {
    hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

async function buildAll() {
  // Computed first: a source that changes during the build leaves the build stale.
  const digest = sourceDigest()
  rmSync('dist', { recursive: true, force: true })
  await bundle()
  // Mutants are built a hundred times, and only the command is run.
  if (process.env.PREMATH_BUILD !== 'command') declareTypes()
  writeFileSync(stamp, digest)
}

async function bundle() {
  const { build } = await import('rolldown')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  // Its entry for Node loads its other files by names that the bundler cannot follow.
  const modules = {
    alias: { 'jsonc-parser': resolve('node_modules/jsonc-parser/lib/esm/main.js') },
  }
  const transform = { define: { __PREMATH_VERSION__: JSON.stringify(version) } }
  // Shared code would become a chunk for each set of commands that share it, and each chunk takes
  // about 0.3 ms to load. Four larger chunks hold the code of the most frequent commands, one reads
  // and writes the configuration, one holds steps, runs, landing and the rules of required checks, and one the reports of specs.
  // The digest of a tree is apart from the steps: a run of specs needs nothing else of them.
  const start = closureOf(['cli/start.ts'])
  const gate = closureOf(['operations/harness/join-check.ts'])
  const questions = ['operations/issue/ready.ts', 'operations/issue/list.ts']
  const issues = closureOf([...questions, 'world/node-disk.ts'])
  const changes = closureOf([
    'operations/change-issues.ts',
    'operations/people-only.ts',
    'project/authority/ask-harness.ts',
    'project/authority/known-step.ts',
    'store/admission.ts',
    'store/file/issue-writer.ts',
    'world/file-lock.ts',
    'wire/answers/issue-changes.ts',
  ])
  const show = closureOf(['operations/issue/show.ts'])
  const trajectory = closureOf(['operations/harness/trajectory-query.ts'])
  const tree = closureOf(['harness/worktree/tree.ts'])
  const isConfig = id => /\/src\/(kernel|project|wire)\/.*config|\/jsonc-parser\//.test(id)
  const isHarness = id =>
    /\/src\/(harness|kernel\/(harness\/run|landing|required)|project\/loop|wire\/landing)\/|\/picomatch\//.test(
      id,
    ) && !/protected-member|worktree\/changed-paths/.test(id)
  const isWitnesses = id =>
    /\/src\/project\/proofs\/(birth-|imported|link-|proof-|signing-|trust-|witness-[dinv])/.test(
      id,
    ) ||
    /\/src\/kernel\/proof\/(attestation|close-kind|proof-|rerun|signed-)/.test(id) ||
    /\/src\/(operations\/trust\/|render\/(rerun|witness)|wire\/proof\/(signed-|trust))/.test(id)
  // Pages and issue memory count too, and need nothing else of each other.
  const isCounted = id => /\/src\/kernel\/text\/counted\.ts$/.test(id)
  const isCore = id => start.has(id) || (gate.has(id) && issues.has(id)) || isCounted(id)

  await build({
    input: {
      'cli/main': 'src/cli/main.ts',
      index: 'src/index.ts',
      'kernel/index': 'src/kernel/index.ts',
    },
    platform: 'node',
    resolve: modules,
    preserveEntrySignatures: 'allow-extension',
    optimization: { inlineConst: true },
    transform,
    output: {
      dir: 'dist',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name].cjs',
      banner: chunk => (chunk.name === 'cli/main' ? '#!/usr/bin/env node' : ''),
      minify: true,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: 'core', test: isCore },
          { name: 'gate', test: id => gate.has(id) },
          // A page of an issue and every change share a few small files, and need nothing else of each other.
          { name: 'issues', test: id => issues.has(id) || (show.has(id) && changes.has(id)) },
          { name: 'changes', test: id => changes.has(id) },
          // A page of an issue also tells its last failure, which is in the trajectory.
          { name: 'trajectory', test: id => trajectory.has(id) },
          { name: 'show', test: id => show.has(id) },
          // The shapes of the rest. They import each other only, so that no chunk waits for itself.
          { name: 'wire', test: id => /\/src\/wire\//.test(id) },
          { name: 'config', test: isConfig },
          { name: 'tree', test: id => tree.has(id) && isHarness(id) },
          { name: 'harness', test: isHarness },
          { name: 'reports', test: id => /\/src\/render\/reports\//.test(id) },
          // A package of many tiny files is slow to install. A page of one group of commands is not
          // here, because every command that prints a table would load that group.
          {
            name: 'pages',
            test: id =>
              /\/src\/(kernel\/text|render\/(specs\/inked-|columns|durations|inked-|table|titled-))/.test(
                id,
              ),
          },
          { name: 'witnesses', test: isWitnesses },
          // Small commands of one theme: each is a few hundred bytes. What only one of them imports is
          // here too: in a chunk of its own it would need this one, and be loaded half.
          {
            name: 'dependencies',
            test: id =>
              /\/src\/(operations\/dep|render\/issues\/dep-|kernel\/issues\/graph\/dependency-)/.test(
                id,
              ),
          },
          {
            name: 'handoff',
            test: id =>
              /\/src\/operations\/harness\/(session|feature)-|\/src\/render\/harness\/(session|ledger)-/.test(
                id,
              ),
          },
          // A worker claims often, and needs nothing that proves a lease.
          {
            name: 'claims',
            test: id => /\/src\/(operations\/issue\/claim|render\/issues\/issue-claimed)/.test(id),
          },
          {
            name: 'leases',
            test: id =>
              /\/src\/(operations\/issue\/lease-|project\/authority\/lease-proof)/.test(id),
          },
          { name: 'calls', test: id => /\/src\/operations\/(call|exposed)/.test(id) },
          {
            name: 'resident',
            test: id =>
              /\/src\/((operations\/)?resident\/|store\/file\/kept-|world\/local-services)/.test(
                id,
              ),
          },
          {
            name: 'relocation',
            test: id => /\/src\/kernel\/harness\/relocation\//.test(id),
          },
          { name: 'scheme', test: id => /\/src\/kernel\/scheme\//.test(id) },
          // The reader of pages brings a Markdown parser, which the other checks do not need.
          { name: 'check-docs', test: id => /\/src\/(kernel|project)\/checks\/docs/.test(id) },
          {
            name: 'checks',
            test: id =>
              /\/src\/(kernel|operations|project)\/checks\/|\/render\/(check|ci)-/.test(id),
          },
          // Nothing imports a command, so commands that need the same code can share a chunk.
          { name: 'policy-commands', test: id => /\/src\/operations\/policy\//.test(id) },
          { name: 'instructions', test: id => /\/src\/operations\/instruction\//.test(id) },
          { name: 'setup', test: id => /\/src\/project\/setup\//.test(id) },
          {
            name: 'observation',
            test: id =>
              /\/src\/(kernel|project|render|operations)\/observ/.test(id) &&
              !/html-page|page-assets|live-observation|serve/.test(id),
          },
          { name: 'http-server', test: id => /\/node_modules\/(hono|@hono)\//.test(id) },
          {
            name: 'serving',
            test: id =>
              /\/src\/(web\/observe-|render\/observation\/(html-page|page-assets))/.test(id),
          },
          {
            name: 'required',
            test: id =>
              /\/src\/(project|render|operations)\/required|worktree\/changed-paths/.test(id),
          },
          { name: 'policies', test: id => /\/src\/project\/policies\//.test(id) },
          { name: 'instruction', test: id => /\/src\/kernel\/instruction\//.test(id) },
          { name: 'steps', test: id => /\/src\/kernel\/harness\/(retry|step)\//.test(id) },
          // Loaded where a file of rows was replaced, and by the merge driver.
          { name: 'merge', test: id => /\/src\/kernel\/issues\/(forward|merge)\//.test(id) },
        ],
      },
    },
  })
  chmodSync('dist/cli/main.cjs', 0o755)

  // The tests run most commands in their own process, by a start that checks each answer. It is not
  // in the package.
  await build({
    input: {
      start: 'test/checked-answers.ts',
      'reference-data': 'src/cli/reference-data.ts',
      'man-page': 'src/cli/man-page.ts',
    },
    platform: 'node',
    resolve: modules,
    transform,
    output: {
      dir: 'dist/in-process',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
    },
  })
  const { referenceData } = require('./dist/in-process/reference-data.cjs')
  const { manPage } = require('./dist/in-process/man-page.cjs')
  const reference = await referenceData()
  writeFileSync('dist/in-process/reference.json', JSON.stringify(reference))
  writeFileSync('dist/premath.1', manPage(reference))
}

/** The files that these sources import when they are loaded, directly or through others. */
function closureOf(entries) {
  const paths = entries.map(entry => resolve('src', entry))
  return filesFrom(paths, /^(?:import|export) (?!type\b)(?:[^';]*? from )?'(\.[^']+)'/gm)
}

/** Declarations of the two entries of the library, and of the types that these name. */
function declareTypes() {
  const typescript = dirname(require.resolve('typescript/package.json'))
  execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  })
  const all = readdirSync('dist/types', { recursive: true, encoding: 'utf8' })
  const entries = ['index.d.ts', 'kernel/index.d.ts'].map(path => resolve('dist/types', path))
  const needed = filesFrom(entries, /(?:from |import\()["'](\.[^"']+)["']/g)
  for (const path of all.filter(path => path.endsWith('.d.ts'))) {
    if (!needed.has(resolve('dist/types', path))) rmSync(join('dist/types', path))
  }
  writeFileSync('dist/types/package.json', '{ "type": "commonjs" }\n')
}

/** These files and those that they name, directly or through others. */
function filesFrom(paths, imports) {
  const found = new Set()
  const pending = [...paths]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (found.has(path)) continue
    found.add(path)
    for (const [, target] of readFileSync(path, 'utf8').matchAll(imports)) {
      const named = resolve(dirname(path), target)
      pending.push(path.endsWith('.d.ts') ? named.replace(/\.ts$/, '.d.ts') : named)
    }
  }
  return found
}
