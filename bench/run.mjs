/** Processes, timed. */
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const premath = fileURLToPath(new URL('../dist/cli/main.cjs', import.meta.url))
export const script = name => fileURLToPath(new URL(name, import.meta.url))

/** Reading extra certificates takes longer than starting Node does, on some versions. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** `node` is the binary to run and `cache` the folder of its caches, where they are not the usual ones. */
export function start(args, { node = process.execPath, cache, ...options } = {}) {
  const own = cache === undefined ? env : { ...env, XDG_CACHE_HOME: cache }
  return spawn(node, args, { env: own, stdio: 'ignore', ...options })
}

/** Milliseconds from start to end of one process. */
export async function time(args, allowed = [0], options = {}) {
  const began = process.hrtime.bigint()
  const code = await new Promise((done, fail) =>
    start(args, options).on('error', fail).on('exit', done),
  )
  const spent = Number(process.hrtime.bigint() - began) / 1e6
  if (!allowed.includes(code)) throw new Error(`${args.join(' ')} ended with ${code}`)
  return spent
}

/** Medians of alternating runs, by name: what the machine does meanwhile meets all of them. */
export async function medians(commands, runs, allowed = [0], options = {}) {
  const names = Object.keys(commands)
  const spent = Object.fromEntries(names.map(name => [name, []]))
  for (const name of names) await time(commands[name], allowed, options)
  for (let run = 0; run < runs; run++) {
    for (const name of names) spent[name].push(await time(commands[name], allowed, options))
  }
  return Object.fromEntries(names.map(name => [name, median(spent[name])]))
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** Returns true if the program is installed. Otherwise prints one line on how to get it. */
export function hasTool(name, how, progress) {
  if (spawnSync(name, ['--version']).status === 0) return true
  progress(`not measured beside ${name}, which is not installed; to install it: ${how}`)
  return false
}
