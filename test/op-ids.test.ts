/** Operations by the ids that the contracts route them by. */
import { expect, test } from 'vitest'
import { operations } from '../src/operations/index.ts'

/** The routes of HARNESS-RUNTIME §8, each with the command that answers it. */
const routes = {
  'op/harness.session_bootstrap': 'harness-session bootstrap',
  'op/harness.session_read': 'harness-session read',
  'op/harness.session_write': 'harness-session write',
  'op/mcp.dep_diagnostics': 'dep diagnostics',
  'op/mcp.issue_claim': 'issue claim',
  'op/mcp.issue_lease_projection': 'issue lease-projection',
  'op/mcp.issue_lease_release': 'issue lease-release',
  'op/mcp.issue_lease_renew': 'issue lease-renew',
}

test('[runtime.8.no-parallel-ids] every route has one operation, and no operation has a route of its own', async () => {
  const loaded = await Promise.all(
    Object.entries(operations).map(async ([command, load]) => [command, await load()] as const),
  )
  const found = loaded.flatMap(([command, { opId }]) =>
    opId === undefined ? [] : [[opId, command]],
  )
  expect(found.toSorted()).toEqual(Object.entries(routes))
})
