/**
 * A process that changes issue memory until it is done or killed. Every line it prints was
 * acknowledged by the store before it was printed.
 */
import { writeSync } from 'node:fs'
import { OperatorGrant } from '../src/kernel/authority/operator-grant.ts'
import { isRefusal } from '../src/kernel/issues/issue-refusal.ts'
import { FileIssueStore } from '../src/store/file/file-issue-store.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { nodeWorld } from '../src/world/node-world.ts'

const [task = 'edit', path = '', name = '', cacheFolder = ''] = process.argv.slice(2)

const store = new FileIssueStore({
  path,
  disk: nodeDisk,
  clock: nodeWorld().clock,
  lockWaitMs: 600_000,
  cache: { folder: cacheFolder, name: 'issues' },
})
const authority = OperatorGrant.grant({ operator: name, surface: 'cli', mode: 'open' })
const tell = (line: string) => writeSync(1, `${line}\n`)

/** Adds and edits issues of its own, and compacts now and then. */
async function edit(): Promise<void> {
  for (let version = 0; ; version++) {
    const id = `${name}-${version % 3}`
    const title = `v${version}`
    const made = await store.mutate(
      authority,
      version < 3
        ? { action: 'issue.add', issue: { id, title, description: 'x'.repeat(3_000) } }
        : { action: 'issue.update', id, proof: {}, fields: { title } },
    )
    if (isRefusal(made)) throw new Error(`refused: ${made.diagnostic}`)
    tell(`${id} ${version}`)
    if (version % 7 === 5) await store.compact()
  }
}

async function claim(): Promise<void> {
  while (true) {
    const change = { action: 'issue.claim_next', claim: { assignee: name } } as const
    const made = await store.mutate(authority, change)
    if (isRefusal(made)) throw new Error(`refused: ${made.diagnostic}`)
    if (!made.issue) return
    tell(`${made.issue.id} ${name}`)
  }
}

/** Takes the lock and keeps it. */
async function hold(): Promise<void> {
  await nodeDisk.lock(`${path}.lock`, 0)
  tell('held')
  await new Promise(resolve => setTimeout(resolve, 60_000))
}

const tasks: Readonly<Record<string, () => Promise<void>>> = { claim, edit, hold }
await tasks[task]?.()
