/**
 * Builds `dist/`: the command as CommonJS, split so that each command loads its own code, and the
 * library as ES modules with declarations. CommonJS because loading one empty ES module costs
 * a fifth of a bare `node` start.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { build } from 'rolldown'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const transform = { define: { __PREMATH_VERSION__: JSON.stringify(version) } }

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

// Code that is shared is a chunk of its own by default, and `issue ready` would load fifty of them.
// Two larger ones take a sixth off its start: the gate, and issue memory.
const core = closureOf(['cli/start.ts', 'operations/harness/join-check.ts'])
const issues = closureOf(['operations/issue/ready.ts', 'world/node-disk.ts'])

rmSync('dist', { recursive: true, force: true })

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

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
