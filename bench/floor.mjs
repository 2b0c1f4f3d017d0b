/**
 * The bare floor of the gate: parse each line, print it canonically, hash those bytes ten times,
 * print one short line. Nothing is checked.
 */
import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

const digests = 10
let out = ''
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const text = canonical(JSON.parse(line))
  let last = ''
  for (let at = 0; at < digests; at++) last = hash('sha256', text)
  out += `${last}\n`
  if (out.length > 65_536) {
    process.stdout.write(out)
    out = ''
  }
}
process.stdout.write(out)
