/**
 * What a person would write instead: parse each line, compare the ids of calls, results and uses.
 * No digests, no policies, no reasons.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const ids = rows => new Set((rows ?? []).map(row => row.toolCallId))
const same = (a, b) => a.size === b.size && [...a].every(id => b.has(id))

let out = ''
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const { evidence } = JSON.parse(line)
  const [requests, results, uses] = [
    evidence.toolRequests,
    evidence.toolResults,
    evidence.toolUse,
  ].map(ids)
  out += `${same(requests, results) && same(results, uses)}\n`
}
process.stdout.write(out)
