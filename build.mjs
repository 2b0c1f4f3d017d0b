/**
 * Builds `dist/`: the command as CommonJS, split so that each command loads its own code, and the
 * library as ES modules with declarations. CommonJS because loading one empty ES module costs
 * a fifth of a bare `node` start.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
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

/** A bit of everything that is read and nothing that is wrong. */
const sampleSpec = `# Sample

\`\`\`yaml spec-test
id: SAMPLE
type: text.file
harness: {spec_lang: {max_steps: 10}}
assert:
- target: text
  must:
  - evaluate: [{std.string.contains: [{var: subject}, "x"]}]
\`\`\`
`

/** What these files import when they run, and what that imports, and so on. */
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

/** What every command needs, and all that judging one turn needs: one file to open and start. */
const core = closureOf(['cli/start.ts', 'operations/harness/join-check.ts'])

/** What commands over issue memory share beyond that; what is left stays in files of its own. */
const issues = closureOf([
  'operations/issue/ready.ts',
  'operations/issue/claim-next.ts',
  'world/node-disk.ts',
])
for (const path of core) issues.delete(path)

/** What questions to the trajectory need beyond both. */
const trajectory = closureOf(['project/open-trajectory.ts'])
for (const path of [...core, ...issues]) trajectory.delete(path)

const isCore = id => core.has(id)
const isIssues = id => issues.has(id)
const isTrajectory = id => trajectory.has(id)

rmSync('dist', { recursive: true, force: true })

await build({
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  // Native code cannot be bundled.
  external: ['fs-native-extensions'],
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
        { name: 'core', test: isCore },
        { name: 'issues', test: isIssues },
        { name: 'trajectory', test: isTrajectory },
      ],
    },
  },
})
for (const file of readdirSync('dist/cli')) {
  const path = join('dist/cli', file)
  writeFileSync(path, inAscii(readFileSync(path, 'utf8')))
}
chmodSync('dist/cli/main.cjs', 0o755)

// Compiled under the flags of whoever builds, it would be refused at every other start.
const { NODE_OPTIONS: _options, ...plainEnv } = process.env
const project = sampleProject()
for (const args of [
  ['harness-join-check', '--input', '-'],
  ['issue', 'claim-next', '--assignee', 'build'],
  ['harness-trajectory', 'query', '--mode', 'failed'],
  ['schema'],
  ['spec', 'lint', project],
  ['spec', 'run', '--no-witness', project],
  ['harness-loop', 'worker', '--max-steps=1', '--work-cmd=true', '--verify-cmd=true'],
  ['completion', 'bash'],
  [],
]) {
  const { stderr } = spawnSync(process.execPath, ['build-code-cache.cjs', ...args], {
    input: JSON.stringify(sampleTurn),
    encoding: 'utf8',
    env: { ...plainEnv, PREMATH_ROOT: project },
  })
  if (stderr) throw new Error(`premath ${args.join(' ')}: ${stderr}`)
}
rmSync(project, { recursive: true })
execFileSync(process.execPath, ['build-code-cache-check.cjs'], { env: plainEnv, stdio: 'inherit' })

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

/** A memory large enough to have an index, which the first question makes. */
function sampleProject() {
  const folder = mkdtempSync(join(tmpdir(), 'premath-build-'))
  const rows = Array.from({ length: 400 }, (_, number) => ({
    id: `bd-${number + 1}`,
    title: `Issue ${number + 1}`,
    description: 'x'.repeat(400),
    status: number % 2 ? 'closed' : 'open',
  }))
  mkdirSync(join(folder, '.premath'))
  const path = join(folder, '.premath/issues.jsonl')
  writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const steps = Array.from({ length: 1000 }, (_, number) => ({
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId: `worker.bd-${number}.1`,
    issueId: `bd-${number}`,
    action: 'worker.loop',
    resultClass: number % 2 ? 'completed' : 'failed',
    witnessRefs: ['x'.repeat(200)],
    finishedAt: '2026-02-22T00:00:00Z',
  }))
  const stepsPath = join(folder, '.premath/harness_trajectory.jsonl')
  writeFileSync(stepsPath, steps.map(step => `${JSON.stringify(step)}\n`).join(''))
  writeFileSync(join(folder, 'sample.spec.md'), sampleSpec)
  // Each makes the index that the run whose code is kept will find.
  for (const args of [
    ['issue', 'ready'],
    ['harness-trajectory', 'query'],
  ]) {
    execFileSync(process.execPath, ['dist/cli/main.cjs', ...args], {
      env: { ...process.env, PREMATH_ROOT: folder },
    })
  }
  return folder
}

/** A file of one-byte characters is read and compiled faster; strings and patterns may escape. */
function inAscii(code) {
  return code.replace(
    /[^\0-\x7f]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
