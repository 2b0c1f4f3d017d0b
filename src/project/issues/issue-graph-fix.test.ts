import { expect, test } from 'vitest'
import { withoutBlocks } from '../../kernel/issues/graph/graph-compactness.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import type { IssueStore } from '../../store/issue-store.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { authorityOf } from '../authority/authority.ts'
import { openContext } from '../context.ts'
import { openProject } from '../open.ts'
import { openIssues } from '../open-issues.ts'
import { removeRedundantEdges } from './issue-graph-fix.ts'

const row = (id: string, status: string, ...targets: readonly string[]) =>
  `${JSON.stringify({
    id,
    title: id,
    status,
    dependencies: targets.map(target => ({ issue_id: id, depends_on_id: target, type: 'blocks' })),
  })}\n`

/** The same store, which `happens` changes right after the first read. */
function interrupted(store: IssueStore, happens: () => Promise<unknown>): IssueStore {
  let calm = true
  const read = async (): Promise<IssueMemory> => {
    const memory = await store.read()
    if (!calm) return memory
    calm = false
    // A copy, because the store updates its memory in place.
    const asRead = withoutBlocks(memory, [])
    await happens()
    return asRead
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === 'read') return read
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

test('an edge that is needed again by the time of the fix stays, and the fix reports it', async () => {
  const text = row('a', 'open', 'done', 'other') + row('done', 'closed') + row('other', 'closed')
  const disk = new SimDisk({ files: { '/p/.premath/issues.jsonl': text } })
  const project = await openProject(openContext(simWorld({ disk, cwd: '/p' })))
  const open = await openIssues(project, {})
  const reopen = async () =>
    open.store.mutate(await authorityOf(project, {}), {
      action: 'issue.update',
      id: 'done',
      fields: { status: 'open' },
      proof: {},
    })
  const store = interrupted(open.store, reopen)
  expect(await removeRedundantEdges({ ...open, store }, {}, project)).toEqual({
    removedCount: 1,
    removedEdges: [{ issueId: 'a', dependsOnId: 'other' }],
    keptEdges: [
      {
        issueId: 'a',
        dependsOnId: 'done',
        failureClass: 'dependency_not_redundant',
        diagnostic: 'dependency is not redundant: a -> done (blocks)',
        remedy: 'Check again: premath issue-graph-check.',
      },
    ],
    orderKept: false,
  })
  const memory = await open.store.read()
  expect(memory.get('a')?.dependencies.map(edge => edge.depends_on_id)).toEqual(['done'])
})
