/** Sends so many requests, so many at a time, and looks at the answers. Nothing else. */
import { Agent } from 'undici'

const [origin, count, paths, jobs] = process.argv.slice(2)
const agent = new Agent()
let sent = 0

async function work() {
  while (sent < Number(count)) {
    const path = `/items/${sent++ % Number(paths)}`
    const { statusCode, body } = await agent.request({ origin, path, method: 'GET' })
    const text = await body.text()
    if (statusCode !== 200 || !text.includes(`${path}"`)) throw new Error(`${path}: ${text}`)
  }
}

await Promise.all(Array.from({ length: Number(jobs) }, work))
await agent.close()
