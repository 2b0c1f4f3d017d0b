/**
 * Packs the package, installs it into an empty folder with an empty home, and runs a tour of the
 * command: `npm run tour` on the Node that runs this, `npm run tour -- 20.19 22 /opt/node/bin/node`
 * on each Node that is named, by a version of the `node` package on npm or by a path.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

const callSpec = {
  callId: 'call-1',
  modelRef: 'some-model',
  actionMode: 'json',
  executionPattern: 'single',
  normalizerId: 'nf.v1',
  mutationPolicyDigest: 'mut.pol.v1',
  governancePolicyDigest: 'gov.pol.v1',
  toolRenderProtocolDigest: 'render.pol.v1',
  reminderQueuePolicyDigest: 'queue.pol.v1',
  stateViewPolicyDigest: 'state.pol.v1',
  decompositionPolicyDigest: 'decomp.pol.v1',
}
const closedTurn = { evidence: { callSpec, protocolState: { stopReason: 'end_turn' } } }
const openTurn = {
  evidence: { ...closedTurn.evidence, toolRequests: [{ toolCallId: 'tc-1', toolName: 'fs.read' }] },
}

const spec = `# Greeting

\`\`\`yaml spec-test
id: GREETING
type: text.file
path: /greeting.txt
assert:
- target: text
  must:
  - contain: [hello]
\`\`\`
`

const program = `
import { Fault, operations } from 'premath'
import { Fault as KernelFault, judge } from 'premath/kernel'
console.log(Fault === KernelFault, typeof judge, Object.keys(operations).includes('schema'))
`

const files = {
  'closed.json': `${JSON.stringify(closedTurn)}\n`,
  'open.json': `${JSON.stringify(openTurn)}\n`,
  'greeting.spec.md': spec,
  'greeting.txt': 'hello\n',
  'other.spec.md': spec.replace('GREETING', 'OTHER').replace('[hello]', '[goodbye]'),
}

/** Command lines of a shell, with a pattern for what they print and the exit code if it is not 0. */
const tour = [
  ['premath --version', new RegExp(`^${RegExp.escape?.(version) ?? version}$`, 'm')],
  ['premath --help', /ready +List ready issues/],
  ['premath issue add --help', /--priority/],
  ['premath frobnicate', /^error: unknown command "frobnicate"/m, 2],
  ['git init -q && git add . && git commit -q -m Start && premath init', /\.premath/],
  ['premath issue add "Fix login timeout" --priority 1', /bd-1/],
  ['premath issue add "Write release notes" --json', /"bd-2"/],
  ['premath dep add bd-2 bd-1', /bd-1/],
  ['premath issue ready', /^bd-1 .*Fix login timeout$/m],
  ['premath issue claim-next --assignee me', /lease1_bd-1_me/],
  ['premath issue update bd-1 --status closed --lease-id lease1_bd-1_me --fence 1', /--verify/, 1],
  [
    `premath issue update bd-1 --status closed --lease-id lease1_bd-1_me --fence 1 \\
      --verify-cmd 'grep -q hello greeting.txt'`,
    /bd-1/,
  ],
  ['premath harness-join-check --input closed.json', /accepted/],
  ['premath harness-join-check --input open.json', /tool\.result_missing/, 1],
  ['cat closed.json open.json | premath harness-join-check --input - --ndjson', /"line":2/, 1],
  ['premath spec run greeting.spec.md', /1 passed/],
  ['premath spec run other.spec.md', /OTHER/, 1],
  ['premath spec lint greeting.spec.md', /./],
  [
    `premath harness-step --work-cmd 'echo "login waits 30 seconds" > NOTES.md' \\
      --verify-cmd 'grep -q 30 NOTES.md'`,
    /bd-2/,
  ],
  ['premath issue ready', /no ready issues/i],
  ['premath harness-trajectory query', /bd-2/],
  ['premath witness verify bd-1', /^accepted proof bd-1/m],
  [
    'premath witness keygen --key ci.pem && premath witness export bd-1 --attest --key ci.pem',
    /payloadType/,
  ],
  [`cp -r .premath/proofs kept && sed -i.bak 's/: 0,/: 1,/' .premath/proofs/bd-1/proof-*`, /^$/],
  ['premath witness verify bd-1', /bd-1/, 5],
  [
    'rm -r .premath/proofs && mv kept .premath/proofs && premath witness verify --all',
    /items verified/,
  ],
  ['premath schema', /premath\.harness\.turn_evidence\.v1/],
  ['premath schema premath.harness.turn_evidence.v1', /"\$schema"/],
  ['premath completion bash', /premath/],
  ['premath doctor', /./],
  ['premath conformance run', /./],
  ['node ../program.mjs', /^true function true$/m],
]

const folder = mkdtempSync(join(tmpdir(), 'premath-tour-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const npm = (args, options) =>
  execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options })

const [{ filename }] = JSON.parse(npm(['pack', '--json', '--silent', '--pack-destination', folder]))
const names = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath]
for (const name of names) {
  const node = name.includes('/') ? resolve(name) : fetched(name)
  const found = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  console.log(`Node ${found}: ${walked(node, found)} commands as expected`)
}

function fetched(wanted) {
  const prefix = join(folder, `node-${wanted}`)
  npm(['install', '--silent', '--no-save', '--prefix', prefix, `node@${wanted}`])
  return join(prefix, 'node_modules/node/bin/node')
}

function walked(node, name) {
  const place = join(folder, name)
  const [home, project] = [join(place, 'home'), join(place, 'project')]
  for (const made of [home, project]) mkdirSync(made, { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(project, path), text)
  writeFileSync(join(place, 'program.mjs'), program)
  const bins = [dirname(node), join(place, 'node_modules/.bin')].join(delimiter)
  const env = {
    HOME: home,
    PATH: `${bins}${delimiter}${process.env['PATH']}`,
    GIT_AUTHOR_NAME: 'tour',
    GIT_AUTHOR_EMAIL: 'tour@localhost',
    GIT_COMMITTER_NAME: 'tour',
    GIT_COMMITTER_EMAIL: 'tour@localhost',
  }
  // The home is empty; the network and the registry are those of whoever runs this.
  const settings = {
    npm_config_userconfig: npm(['config', 'get', 'userconfig', '--silent']).trim(),
    npm_config_cache: npm(['config', 'get', 'cache', '--silent']).trim(),
  }
  npm(['install', '--silent', '--prefix', place, join(folder, filename)], {
    env: { ...process.env, ...env, ...settings },
  })
  for (const [line, pattern, exits = 0] of tour) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
      cwd: project,
      env,
      encoding: 'utf8',
    })
    if (status === exits && pattern.test(`${stdout}${stderr}`)) continue
    console.error(`Node ${name}: ${line}`)
    console.error(`  expected exit code ${exits} and ${pattern}; got exit code ${status} and`)
    console.error(`${stdout}${stderr}`.replace(/^/gm, '  '))
    process.exit(1)
  }
  return tour.length
}
