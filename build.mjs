/**
 * Builds `dist/`: the command as CommonJS, split so that each command loads its own code, and the
 * library as ES modules with declarations. CommonJS because loading one empty ES module costs
 * a fifth of a bare `node` start.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build } from 'rolldown'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const transform = { define: { __PREMATH_VERSION__: JSON.stringify(version) } }

/** A turn with a bit of everything and one lost result, so that most of the gate gets to run. */
const sampleTurn = {
  evidence: {
    callSpec: {
      callId: 'call-1',
      modelRef: 'some-model',
      actionMode: 'json',
      executionPattern: 'parallel',
      normalizerId: 'nf.v1',
      mutationPolicyDigest: 'mut.pol.v1',
      governancePolicyDigest: 'gov.pol.v1',
      toolRenderProtocolDigest: 'render.pol.v1',
      reminderQueuePolicyDigest: 'queue.pol.v1',
      stateViewPolicyDigest: 'state.pol.v1',
      decompositionPolicyDigest: 'decomp.pol.v1',
    },
    toolRequests: ['tc-1', 'tc-2'].map(toolCallId => ({ toolCallId, toolName: 'fs.read' })),
    toolResults: [{ toolCallId: 'tc-1', status: 'ok', resultDigest: 'sha256:aa' }],
    toolUse: [{ toolCallId: 'tc-1', disposition: 'consumed', resultDigest: 'sha256:aa' }],
    protocolState: { stopReason: 'tool_use', continuationAllowed: true },
    toolRender: [
      { toolCallId: 'tc-1', injectionPoint: 'tool_response', policyDigest: 'render.pol.v1' },
    ],
    reminderQueue: [
      { queueId: 'queue/default', reducedDigest: 'sha256:bb', policyDigest: 'queue.pol.v1' },
    ],
    stateViews: [{ viewId: 'state/latest', viewDigest: 'sha256:cc', policyDigest: 'state.pol.v1' }],
  },
}

/** Code that only some commands need, or that brings a package along, stays in files of its own. */
const apart =
  /^(cli\/(main|code-cache|version|version-command|help|completion)|operations\/(conformance|explain|schema).*|wire\/(?!row\.|turn-evidence\.).*)\.ts$/

/** What every command needs, and all that judging one turn needs: one file to open and start. */
function isCore(id) {
  const path = relative('src', id).replaceAll('\\', '/')
  return !path.startsWith('..') && path.endsWith('.ts') && !apart.test(path)
}

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
      groups: [{ name: 'core', test: isCore }],
    },
  },
})
for (const file of readdirSync('dist/cli')) {
  const path = join('dist/cli', file)
  writeFileSync(path, inAscii(readFileSync(path, 'utf8')))
}
chmodSync('dist/cli/main.cjs', 0o755)

for (const args of [
  ['harness-join-check', '--input', '-'],
  ['schema'],
  ['completion', 'bash'],
  [],
]) {
  const { stderr } = spawnSync(process.execPath, ['build-code-cache.cjs', ...args], {
    input: JSON.stringify(sampleTurn),
    encoding: 'utf8',
  })
  if (stderr) throw new Error(`premath ${args.join(' ')}: ${stderr}`)
}

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

/** A file of one-byte characters is read and compiled faster; strings and patterns may escape. */
function inAscii(code) {
  return code.replace(
    /[^\0-\x7f]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
