/** The commands that order work and check it, over a disk in memory. */
import { describe, expect, test } from 'vitest'
import { runCommand } from '../src/cli/run.ts'
import type { JsonObject } from '../src/kernel/json.ts'
import { SimDisk } from '../src/testing/sim-disk.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import { checkedOperations } from './checked-answers.ts'

type Edge = string | readonly [target: string, type: string]
interface Row {
  readonly edges?: readonly Edge[]
  readonly [member: string]: unknown
}

const path = '/project/.premath/issues.jsonl'

function rowOf(id: string, { edges = [], ...members }: Row): string {
  const dependencies = edges.map(edge => {
    const [target, type] = typeof edge === 'string' ? [edge, 'blocks'] : edge
    return { issue_id: id, depends_on_id: target, type }
  })
  return `${JSON.stringify({ id, title: `Do ${id}`, status: 'open', ...members, dependencies })}\n`
}

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
}

/** A project with those issues, and a way to run commands in it. */
function project(
  rows: Readonly<Record<string, Row>>,
  files: Readonly<Record<string, string>> = {},
) {
  const text = Object.entries(rows)
    .map(([id, row]) => rowOf(id, row))
    .join('')
  const disk = new SimDisk({ files: { [path]: text, ...files } })
  async function run(line: string, { env = {}, columns }: Given = {}) {
    const world = simWorld({
      disk,
      cwd: '/project',
      env: { NO_COLOR: '1', ...env },
      ...(columns !== undefined && { columns }),
    })
    const exit = await runCommand(line.split(' '), checkedOperations, world)
    return { exit, out: world.printed.out, err: world.printed.err }
  }
  async function json(line: string, given?: Given) {
    const { exit, out, err } = await run(`${line} --json`, given)
    return { exit, answer: JSON.parse(out) as JsonObject, err }
  }
  const stored = () => new TextDecoder().decode(disk.contents().get(path))
  return { run, json, stored, disk }
}

const issuesPath = '.premath/issues.jsonl'
const integrity = (...cyclePath: readonly string[]) =>
  cyclePath.length > 0 ? { hasCycle: true, cyclePath } : { hasCycle: false, cyclePath: null }

const good = { acceptance_criteria: 'it works: `npm test`' }

describe('dep add', () => {
  test('makes a blocking edge, and reports it', async () => {
    const { json, run, stored } = project({ 'bd-root': {}, 'bd-child': {} })
    expect(await json('dep add bd-child bd-root')).toEqual({
      exit: 0,
      answer: {
        action: 'dep.add',
        issuesPath,
        dependency: { issueId: 'bd-child', dependsOnId: 'bd-root', type: 'blocks' },
      },
      err: '',
    })
    expect(stored()).toContain(
      '"dependencies":[{"issue_id":"bd-child","depends_on_id":"bd-root","type":"blocks"}]',
    )
    expect(await json('issue ready')).toMatchObject({
      answer: { count: 1, items: [{ id: 'bd-root' }] },
    })
    expect((await run('dep add bd-child bd-root --type related --created-by ann')).out).toBe(
      'Added bd-child -> bd-root (related)\n',
    )
    expect(stored()).toContain('"type":"related","created_by":"ann"}')
  })

  test('refuses a cycle, and shows it', async () => {
    const { json, run, stored } = project({ a: { edges: ['b'] }, b: { edges: ['c'] }, c: {} })
    const before = stored()
    expect(await run('dep add c a --type related')).toEqual({
      exit: 1,
      out: '',
      err: 'error: dependency cycle detected: c -> a -> b -> c (dependency_cycle)\n  Remove one edge of the path first, or turn this one around.\n',
    })
    expect(await json('dep add c a')).toMatchObject({
      exit: 1,
      answer: {
        action: 'dep.add',
        issuesPath,
        result: 'rejected',
        failureClasses: ['dependency_cycle'],
        diagnostic: 'dependency cycle detected: c -> a -> b -> c',
        remedy: expect.any(String),
      },
    })
    expect(stored()).toBe(before)
  })

  test.each([
    ['a b', 1, 'dependency_exists'],
    ['a a', 1, 'dependency_self'],
    ['a nope', 1, 'issue_not_found'],
    ['nope a', 1, 'issue_not_found'],
  ])('%s exits %i: %s', async (words, exit, failureClass) => {
    const { json } = project({ a: { edges: ['b'] }, b: {} })
    expect(await json(`dep add ${words}`)).toMatchObject({
      exit,
      answer: { failureClasses: [failureClass] },
    })
  })

  test('an unknown type or a missing memory is bad usage', async () => {
    const { run } = project({ a: {}, b: {} })
    const unknown = await run('dep add a b --type block')
    expect(unknown).toMatchObject({ exit: 2, err: expect.stringContaining('did you mean blocks?') })
    expect(await run('dep add a b --issues other.jsonl')).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/no issue memory at .*other\.jsonl/),
    })
  })

  test('a corrupt memory is left alone', async () => {
    const { run, stored } = project({ a: {} }, { [path]: '{"id":"a","title":"t"}\n\0\n' })
    const before = stored()
    expect(await run('dep add a b')).toMatchObject({
      exit: 5,
      err: expect.stringContaining('corrupted substrate'),
    })
    expect(stored()).toBe(before)
  })

  test('a held lock is a conflict; a lock file without a holder is not', async () => {
    const { run, stored, disk } = project({ a: {}, b: {} }, { [`${path}.lock`]: 'pid 1\n' })
    const before = stored()
    const lock = await disk.lock(`${path}.lock`, 0)
    if (!lock.held) throw new Error('nobody else can hold it')
    expect(await run('dep add a b')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('issue-memory lock busy'),
    })
    expect(stored()).toBe(before)
    await lock.release()
    expect(await run('dep add a b')).toMatchObject({ exit: 0 })
  })

  test('to a leased issue needs its holder', async () => {
    const { json, run } = project({ a: {}, b: {}, c: {} })
    const claimed = await json('issue claim a --assignee ann')
    const { leaseId } = (claimed.answer['issue'] as { lease: { leaseId: string } }).lease
    expect(await json('dep add a b')).toMatchObject({
      exit: 4,
      answer: { failureClasses: ['lease_proof_missing'] },
    })
    expect(await json(`dep add a b --lease-id ${leaseId} --fence 7`)).toMatchObject({
      exit: 4,
      answer: { failureClasses: ['lease_fence_stale'] },
    })
    expect(await run(`dep add a b --lease-id ${leaseId} --fence 1`)).toMatchObject({ exit: 0 })
    const env = { PREMATH_LEASE_ID: leaseId, PREMATH_FENCE: '1', PREMATH_ISSUE_ID: 'a' }
    expect(await run('dep replace a b --to-type related', { env })).toMatchObject({ exit: 0 })
    expect(await run('dep remove a b --type related')).toMatchObject({ exit: 4 })
    expect(await run('dep remove a b --type related', { env })).toMatchObject({ exit: 0 })
    expect(await run('dep add b a')).toMatchObject({ exit: 0 })
  })
})

describe('dep remove and dep replace', () => {
  test('change the ready issues', async () => {
    const { json, run } = project({ 'bd-root': {}, 'bd-child': { edges: ['bd-root'] } })
    const replace = 'dep replace bd-child bd-root --to-type related --created-by codex'
    expect(await json(replace)).toEqual({
      exit: 0,
      answer: {
        action: 'dep.replace',
        issuesPath,
        dependency: {
          createdBy: 'codex',
          dependsOnId: 'bd-root',
          fromType: 'blocks',
          issueId: 'bd-child',
          toType: 'related',
        },
      },
      err: '',
    })
    expect(await json('issue ready')).toMatchObject({ answer: { count: 2 } })
    expect(await json('dep remove bd-child bd-root --type related')).toMatchObject({
      exit: 0,
      answer: {
        action: 'dep.remove',
        dependency: { issueId: 'bd-child', dependsOnId: 'bd-root', type: 'related' },
      },
    })
    expect(await json('dep diagnostics')).toMatchObject({
      exit: 0,
      answer: { graphScope: 'active', integrity: integrity() },
    })
    expect(await run('dep add bd-root bd-child')).toMatchObject({ exit: 0 })
    expect(await run('dep add bd-child bd-root')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('dependency cycle detected'),
    })
  })

  test('refuse a missing edge', async () => {
    const { json, run } = project({ a: { edges: ['gone'] }, b: {} })
    expect(await json('dep remove a b')).toMatchObject({
      exit: 1,
      answer: { failureClasses: ['dependency_not_found'] },
    })
    expect(await run('dep replace a b')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--to-type <type> is missing'),
    })
    expect(await run('dep remove a gone')).toMatchObject({
      exit: 0,
      out: 'Removed a -> gone (blocks)\n',
    })
  })
})

describe('dep project', () => {
  test('gives every edge its role', async () => {
    const { json, run } = project({
      'bd-root': {},
      'bd-child': { edges: ['bd-root'] },
      'bd-2': { edges: [['bd-root', 'discovered-from']] },
    })
    expect(await json('dep project --view gtd')).toEqual({
      exit: 0,
      answer: {
        action: 'dep.project',
        count: 2,
        integrity: integrity(),
        issuesPath,
        items: [
          {
            blocking: false,
            createdBy: '',
            dependsOnId: 'bd-root',
            issueId: 'bd-2',
            role: 'captured-work',
            type: 'discovered-from',
            view: 'gtd',
          },
          {
            blocking: true,
            createdBy: '',
            dependsOnId: 'bd-root',
            issueId: 'bd-child',
            role: 'next-action',
            type: 'blocks',
            view: 'gtd',
          },
        ],
        view: 'gtd',
      },
      err: '',
    })
    expect(await json('dep project --view groupoid')).toMatchObject({
      answer: { items: [{ role: 'provenance' }, { role: 'constraint' }] },
    })
    expect((await run('dep project', { columns: 60 })).out).toMatch(
      /^issue +depends on +type +role\nbd-2 +bd-root +discovered-from +informational\n/,
    )
    expect(await run('dep project --view nope')).toMatchObject({ exit: 2 })
  })

  test('reports a cycle, but exits 0', async () => {
    const { json, run } = project({ a: { edges: ['b'], status: 'closed' }, b: { edges: ['a'] } })
    expect(await json('dep project')).toMatchObject({
      exit: 0,
      answer: { integrity: integrity('a', 'b', 'a') },
    })
    expect((await run('dep project')).out).toContain('Cycle: a -> b -> a\n')
    expect((await project({ a: {} }).run('dep project')).out).toBe('No dependencies.\n')
  })
})

describe('dep diagnostics', () => {
  test('exits 1 for a cycle in the scope', async () => {
    const { json, run } = project({
      'bd-a': { edges: ['bd-b'], status: 'closed' },
      'bd-b': { edges: ['bd-a'], status: 'closed' },
      'bd-c': {},
    })
    expect(await json('dep diagnostics --graph-scope active')).toEqual({
      exit: 0,
      answer: {
        action: 'dep.diagnostics',
        graphScope: 'active',
        integrity: integrity(),
        issuesPath,
      },
      err: '',
    })
    expect(await json('dep diagnostics --graph-scope full')).toMatchObject({
      exit: 1,
      answer: { graphScope: 'full', integrity: integrity('bd-a', 'bd-b', 'bd-a') },
    })
    expect(await run('dep diagnostics')).toMatchObject({
      exit: 0,
      out: 'No cycle among active issues.\n',
    })
    expect(await run('dep diagnostics --graph-scope full')).toMatchObject({
      exit: 1,
      out: 'Cycle: bd-a -> bd-b -> bd-a\n  Remove one of its edges: premath dep remove.\n',
    })
  })
})

describe('dep tree', () => {
  const rows: Readonly<Record<string, Row>> = {
    'bd-1': { edges: ['bd-2', 'bd-3', ['bd-10', 'related']], title: 'Ship it' },
    'bd-2': { edges: ['bd-4'], status: 'in_progress' },
    'bd-3': { edges: ['bd-2', 'gone'], title: 'Two\nlines \u001b[31mand colour' },
    'bd-4': { edges: ['bd-5'], status: 'closed' },
    'bd-5': { status: 'closed' },
    'bd-10': {},
    'bd-11': {},
  }

  test('draws one issue', async () => {
    const { run } = project(rows)
    expect((await run('dep tree bd-1')).out.split('\n')).toEqual([
      'bd-1 [open] Ship it',
      '├── bd-2 [in_progress] Do bd-2',
      '│   └── bd-4 [closed] Do bd-4 (1 below)',
      '├── bd-3 [open] Two\\u000alines \\u001b[31mand colour',
      '│   ├── bd-2 [in_progress] Do bd-2 (shown above)',
      '│   └── gone [missing]',
      '└── bd-10 [open, related] Do bd-10',
      '',
      'Closed issues are not expanded; use --all to expand them.',
      '',
    ])
    expect((await run('dep tree bd-4 --reverse --depth 1')).out).toBe(
      'bd-4 [closed] Do bd-4\n└── bd-2 [in_progress] Do bd-2 (2 below)\n\nCut at depth 1; use --depth to go deeper.\n',
    )
  })

  test('draws every open issue, and counts the rest', async () => {
    const { run } = project(rows)
    const { out } = await run('dep tree --blocking --all')
    expect(out).toMatch(/^bd-1 \[open\] Ship it\n/)
    expect(out).toContain('    └── bd-5 [closed] Do bd-5\n')
    expect(out).toContain('2 without dependencies; premath issue list shows them.\n')
    expect((await project({ a: {} }).run('dep tree')).out).toMatch(/^No dependencies\.\n/)
  })

  test.each([40, 41, 57, 80])('fits a terminal of %i columns, however deep', async columns => {
    const deep: Record<string, Row> = {}
    for (let at = 0; at < 60; at++) {
      const title =
        at % 2 ? 'A title that is longer than the terminal is wide: '.repeat(3) : '漢字'.repeat(40)
      deep[`bd-${at}`] = { edges: [`bd-${at + 1}`], title }
    }
    deep['bd-60'] = { edges: ['i'.repeat(200)] }
    const { out } = await project(deep).run('dep tree bd-0 --depth 100', { columns })
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(62)
    const width = (line: string) => line.length + (line.match(/[漢字]/g)?.length ?? 0)
    expect(lines.filter(line => width(line) > columns)).toEqual([])
    for (const [at, line] of lines.slice(0, 61).entries()) expect(line).toContain(`bd-${at} [open]`)
  })

  test('prints nested JSON', async () => {
    const { json } = project({ a: { edges: ['b'] }, b: { edges: ['a', ['x', 'waits-for']] } })
    const leaf = { children: [], priority: null, status: null, title: null }
    expect(await json('dep tree')).toEqual({
      exit: 0,
      answer: {
        action: 'dep.tree',
        count: 1,
        depth: 8,
        direction: 'dependencies',
        issuesPath,
        loneCount: 0,
        trees: [
          {
            children: [
              {
                children: [
                  {
                    ...leaf,
                    folded: 'cycle',
                    foldedCount: 1,
                    id: 'a',
                    missing: false,
                    priority: 2,
                    status: 'open',
                    title: 'Do a',
                    type: 'blocks',
                  },
                  {
                    ...leaf,
                    folded: null,
                    foldedCount: 0,
                    id: 'x',
                    missing: true,
                    type: 'waits-for',
                  },
                ],
                folded: null,
                foldedCount: 0,
                id: 'b',
                missing: false,
                priority: 2,
                status: 'open',
                title: 'Do b',
                type: 'blocks',
              },
            ],
            folded: null,
            foldedCount: 0,
            id: 'a',
            missing: false,
            priority: 2,
            status: 'open',
            title: 'Do a',
            type: null,
          },
        ],
      },
      err: '',
    })
  })

  test('refuses an unknown id and an invalid depth', async () => {
    const { json, run } = project({ a: {} })
    expect(await json('dep tree nope')).toMatchObject({
      exit: 1,
      answer: { action: 'dep.tree', failureClasses: ['issue_not_found'] },
    })
    expect(await run('dep tree a --depth 101')).toMatchObject({ exit: 2 })
  })
})

describe('issue check', () => {
  test('prints an acceptance in the line that scripts expect', async () => {
    const { json, run } = project({ 'bd-1': good, 'bd-2': { status: 'closed' } })
    expect(await json('issue check')).toEqual({
      exit: 0,
      answer: {
        action: 'issue.check',
        checkKind: 'premath.issue_graph.check.v1',
        errors: [],
        failureClasses: [],
        issuesPath,
        result: 'accepted',
        summary: { errorCount: 0, issueCount: 2, noteWarnThreshold: 2000, warningCount: 0 },
        warningClasses: [],
        warnings: [],
      },
      err: '',
    })
    expect((await run('issue check')).out).toBe(
      '[issue-graph] OK (issues=2, errors=0, warnings=0)\n',
    )
  })

  test('prints a rejection with issue, class and reason', async () => {
    const { json, run } = project({
      'bd-1': { ...good, title: '[EPIC] All of it', notes: 'n'.repeat(20) },
      'bd-child': {},
    })
    const command = 'issue check --note-warn-threshold 19'
    expect(await run(command)).toEqual({
      exit: 1,
      out: [
        '[issue-graph] FAIL (issues=2, errors=3, warnings=1)',
        '  - bd-1 issue_graph.issue_type.epic_mismatch (title begins with [EPIC], so the type must be epic)',
        '  - bd-child issue_graph.acceptance.missing (active issue must include an Acceptance section)',
        '  - bd-child issue_graph.verification_command.missing (active issue must include at least one verification command)',
        '  - WARN bd-1 issue_graph.notes.large (notes have 20 characters, more than 19)',
        '',
      ].join('\n'),
      err: '',
    })
    expect(await json(command)).toMatchObject({
      exit: 1,
      answer: { result: 'rejected', warningClasses: ['issue_graph.notes.large'] },
    })
    expect(await run('issue check --note-warn-threshold=-1')).toMatchObject({ exit: 2 })
  })
})

describe('issue compact', () => {
  test('writes one row for each issue, and keeps the content of memory', async () => {
    const { json, run, stored } = project({ b: {}, a: {} })
    await run('dep add b a')
    await run('dep remove b a')
    const before = stored()
    const { exit, answer } = await json('issue compact')
    expect({ exit, answer }).toEqual({
      exit: 0,
      answer: expect.objectContaining({
        action: 'issue.compact',
        issuesPath,
        issueCount: 2,
        bytesBefore: before.length,
        bytesAfter: stored().length,
      }),
    })
    expect(stored().trimEnd().split('\n')).toHaveLength(2)
    expect(await json('issue list')).toMatchObject({ answer: { count: 2 } })
    expect((await run('issue compact')).out).toMatch(/^Compacted 2 issues: \d+ to \d+ bytes/)
    expect(await run('issue compact --issues other.jsonl')).toMatchObject({ exit: 2 })
  })
})

describe('issue-graph-check', () => {
  const rows = {
    a: { ...good, edges: ['b', 'c', 'd'] },
    b: { ...good, edges: ['c'] },
    c: good,
    d: { status: 'closed' },
  }

  test('[typestate.9.issue-graph] finds redundant edges, and names the remedy', async () => {
    const { json, run, stored } = project(rows)
    const before = stored()
    expect(await run('issue-graph-check')).toEqual({
      exit: 1,
      out: [
        '[issue-graph] OK (issues=4, errors=0, warnings=0)',
        '[issue-graph] compactness FAIL (findings=2)',
        '  - a -> d issue_graph.compactness.closed_block_edge (d is closed and blocks nothing any more)',
        '  - a -> c issue_graph.compactness.transitive_block_edge (a waits for c anyway: a -> b -> c)',
        '  → premath issue-graph-check --fix',
        '',
      ].join('\n'),
      err: '',
    })
    expect(await json('issue-graph-check')).toMatchObject({
      exit: 1,
      answer: {
        action: 'issue-graph.check',
        issuesPath,
        mode: 'check',
        result: 'rejected',
        failureClasses: [
          'issue_graph.compactness.closed_block_edge',
          'issue_graph.compactness.transitive_block_edge',
        ],
        check: { result: 'accepted' },
        findingCount: 2,
        findings: [{ dependsOnId: 'd' }, { witnessPath: ['a', 'b', 'c'] }],
        remedy: 'premath issue-graph-check --fix',
      },
    })
    expect(stored()).toBe(before)
  })

  test('removes them, and keeps the ready and blocked issues', async () => {
    const { json, run } = project(rows)
    const order = async () => [
      await json('issue ready'),
      (await json('issue blocked')).answer['count'],
    ]
    const before = await order()
    expect(await json('issue-graph-check --fix')).toMatchObject({
      exit: 0,
      answer: {
        mode: 'apply',
        result: 'accepted',
        removedCount: 2,
        removedEdges: [
          { issueId: 'a', dependsOnId: 'd' },
          { issueId: 'a', dependsOnId: 'c' },
        ],
        keptEdges: [],
        orderKept: true,
        findingCount: 0,
        remedy: null,
      },
    })
    expect(await order()).toEqual(before)
    expect(await run('issue-graph-check --fix')).toMatchObject({
      exit: 0,
      out: '[issue-graph] OK (issues=4, errors=0, warnings=0)\n[issue-graph] removed 0 redundant edges\n[issue-graph] compactness OK (findings=0)\n',
    })
  })

  test('keeps an edge of a held issue', async () => {
    const { json, run } = project({ ...rows, e: { ...good, edges: ['d'] } })
    await run('issue claim e --assignee ann')
    const { exit, answer } = await json('issue-graph-check --fix')
    expect({ exit, ...answer }).toMatchObject({
      exit: 4,
      result: 'rejected',
      removedCount: 2,
      keptEdges: [{ issueId: 'e', dependsOnId: 'd', failureClass: 'lease_proof_missing' }],
      findingCount: 1,
    })
    expect((await run('issue-graph-check --fix')).out).toContain(
      '  - KEPT e -> d lease_proof_missing',
    )
  })

  test('removes nothing if the policy does not allow it', async () => {
    const policy = '{"schema":1,"surfaces":{"cli":{"mode":"human-override"}}}'
    const { json, run, stored } = project(rows, { '/project/.premath/policy.json': policy })
    const before = stored()
    expect(await json('issue-graph-check --fix')).toMatchObject({
      exit: 1,
      answer: { action: 'issue-graph.check', failureClasses: ['mutation_not_granted'] },
    })
    expect(stored()).toBe(before)
    expect(await run('issue-graph-check --fix --reason tidying')).toMatchObject({ exit: 0 })
  })
})
