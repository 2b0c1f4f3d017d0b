import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { projectOf } from './issues.mjs'
import { median, premath, time } from './run.mjs'
import { turnText } from './turns.mjs'

const size = 5_000
const rounds = 300
const runs = 5

/** Round trips of a client over stdio, beside the command that answers the same. */
export async function mcp(folder) {
  const { root: cwd } = projectOf(folder, size)
  // The server starts a resident process, which must end with the measurement.
  const runtime = mkdtempSync('/tmp/premath-bench-')
  const place = { cwd, env: { ...process.env, XDG_RUNTIME_DIR: runtime } }
  try {
    return await roundTrips(place)
  } finally {
    spawnSync(process.execPath, [premath, 'resident', 'stop'], place)
    rmSync(runtime, { recursive: true })
  }
}

async function roundTrips({ cwd, env }) {
  const ready = await client({ cwd, env }, round => [
    'issue_ready',
    { limit: round === 0 ? 1 : 20 },
  ])
  const judged = await client({ cwd, env }, round => [
    'harness_join_check',
    { input: JSON.parse(turnText(round, 8)) },
  ])
  const oneShot = []
  for (let run = 0; run < runs; run++) {
    oneShot.push(await time([premath, 'issue', 'ready', '--limit', '20', '--json'], [0], { cwd }))
  }
  const command = median(oneShot)
  return [
    figure('issue_ready of 20', ready, command),
    figure('harness_join_check of 8 calls', judged, command),
  ]
}

function figure(what, times, command) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = share => sorted[Math.ceil(share * sorted.length) - 1]
  return {
    name: `mcp: ${what} at ${size.toLocaleString('en')} issues, p50`,
    ours: at(0.5),
    unit: 'ms',
    beside: { p99: at(0.99), 'premath issue ready': command },
    ratio: at(0.5) / command,
    most: 1,
  }
}

/** The milliseconds of each call, one after another. */
async function client({ cwd, env }, call) {
  const child = spawn(process.execPath, [premath, 'mcp-serve'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { result } = JSON.parse((await lines.next()).value)
    if (result.isError) throw new Error(result.content[0].text)
  }
  await ask('init', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  const times = []
  for (let round = 0; round < rounds; round++) {
    const [name, args] = call(round)
    const began = process.hrtime.bigint()
    await ask(round, 'tools/call', { name, arguments: args })
    // The first calls load code.
    if (round >= 10) times.push(Number(process.hrtime.bigint() - began) / 1e6)
  }
  const ended = new Promise(settle => child.once('close', settle))
  child.stdin.end()
  await ended
  return times
}
