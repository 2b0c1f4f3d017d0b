/**
 * Builds `dist/`: the command as CommonJS, split so that each command loads its own code, and the
 * library as ES modules with declarations. CommonJS because loading one empty ES module costs
 * a fifth of a bare `node` start.
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
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
  const hash = createHash('sha256')
  for (const path of ['build.mjs', ...settings, ...sources].sort()) {
    hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

async function buildAll() {
  // Computed first: a source that changes during the build leaves the build stale.
  const digest = sourceDigest()
  rmSync('dist', { recursive: true, force: true })
  await bundle()
  declareTypes()
  writeFileSync(stamp, digest)
}

async function bundle() {
  const { build } = await import('rolldown')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const transform = { define: { __PREMATH_VERSION__: JSON.stringify(version) } }
  // Code that is shared is a chunk of its own by default, and `issue ready` would load fifty of them.
  // Two larger ones take a sixth off its start: the gate, and issue memory.
  const core = closureOf(['cli/start.ts', 'operations/harness/join-check.ts'])
  const issues = closureOf(['operations/issue/ready.ts', 'world/node-disk.ts'])

  await build({
    input: { main: 'src/cli/main.ts' },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    transform,
    output: {
      dir: 'dist/cli',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      banner: chunk => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
      minify: true,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: 'core', test: id => core.has(id) },
          { name: 'issues', test: id => issues.has(id) },
        ],
      },
    },
  })
  chmodSync('dist/cli/main.cjs', 0o755)

  await build({
    input: { index: 'src/index.ts', 'kernel/index': 'src/kernel/index.ts' },
    platform: 'node',
    transform,
    external: id => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('src/'),
    output: {
      dir: 'dist',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    },
  })
}

/** The files that these sources import when they are loaded, directly or through others. */
function closureOf(entries) {
  const found = new Set()
  const pending = entries.map(entry => resolve('src', entry))
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (found.has(path)) continue
    found.add(path)
    const imports = readFileSync(path, 'utf8').matchAll(
      /^(?:import|export) (?!type\b)(?:[^';]*? from )?'(\.[^']+)'/gm,
    )
    for (const [, target] of imports) pending.push(resolve(dirname(path), target))
  }
  return found
}

function declareTypes() {
  const typescript = dirname(require.resolve('typescript/package.json'))
  execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  })
}
