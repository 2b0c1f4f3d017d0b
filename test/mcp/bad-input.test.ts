/** Bad input over MCP: it is refused, named and bounded, and the server answers the next call. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anInstructionProject } from '../an-instruction-project.ts'
import { fewOf } from '../sim/seeded.ts'
import { allEras, type Connected, connected } from './a-client.ts'

const { project, put, has, text } = anInstructionProject()
const { done } = project
const trajectory = '.premath/harness_trajectory.jsonl'

describe.each(fewOf(allEras))('over %s', era => {
  let server: Connected
  const call = async (name: string, args: object = {}) => await server.call(name, { ...args })

  beforeEach(async () => {
    done('init')
    done('issue', 'add', 'One')
    server = await connected({ cwd: project.folder, env: project.env }, era)
  })
  afterEach(async () => await server.close())

  test.each([
    ['loops for ever', 'step', '(let loop () (loop))', { maxSteps: 100_000 }],
    ['loops for ever', 'time', '(let loop () (loop))', { timeoutSeconds: 1, maxSteps: 1e12 }],
    [
      'allocates for ever',
      'memory',
      "(let loop ((all '())) (loop (cons 1 all)))",
      { maxMemory: 1 },
    ],
    ['recurses for ever', 'depth', '(define (f) (+ 1 (f))) (f)', {}],
    [
      'calls 10,000 host functions',
      'call',
      '(let loop ((n 10000)) (if (= n 0) 1 (begin (issue.ready :limit 1) (loop (- n 1)))))',
      {},
    ],
  ])(
    '[mcp.10.bad-input] a program that %s is ended by its %s budget',
    async (_, budget, program, limits) => {
      put('program.scm', program)
      const { json } = await call('scheme_eval', { program: 'program.scm', ...limits })
      expect(json.failureClasses).toEqual([`scheme_eval.${budget}_budget_exceeded`])
      expect((await call('issue_ready')).json.count).toBe(1)
    },
  )

  const cut = '{"schema":1,'
  test.each<[string, string, string, object]>([
    ['.premath/harness_session.json', cut, 'harness_session_read', {}],
    ['.premath/harness_feature_ledger.json', cut, 'harness_feature_read', {}],
    ['.premath/harness_feature_ledger.json', cut, 'harness_feature_check', {}],
    ['artifacts/observation/latest.json', cut, 'observe_latest', {}],
    ['.premath/required-checks.json', cut, 'required_projection', { input: { changedPaths: [] } }],
    ['.premath/policy.json', cut, 'issue_claim', { id: 'bd-1', assignee: 'me' }],
    ['.premath/issues.jsonl', '{"id":"bd-1"}\n{"id":\n{"id":"bd-2"}\n', 'issue_list', {}],
    ['program.scm', '(define (f', 'scheme_eval', { program: 'program.scm' }],
    ['a.spec.md', '```yaml spec-test\nid: [\n```\n', 'spec_run', { path: ['a.spec.md'] }],
  ])('[mcp.10.bad-input] a half-written %s is named', async (path, content, name, args) => {
    put(path, content)
    const { json, text: said } = await call(name, args)
    expect([name, said.includes(path)]).toEqual([name, true])
    expect(json.exitCode ?? (json.result === 'rejected' ? 1 : 0)).toBeGreaterThan(0)
    expect((await call('prime')).json).toBeDefined()
  })

  test('[mcp.10.bad-input] checks that need each other are refused, with the cycle', async () => {
    put('.premath/required-checks.json', {
      ...{ schema: 1, requiredChecksKind: 'premath.required_checks.v1', projectionPolicy: 'p' },
      ...{ order: ['a', 'b'], baseline: ['a'], docs: { paths: ['*.md'] }, rules: [] },
      checks: { a: { after: ['b'] }, b: { after: ['a'] } },
    })
    const answer = await call('required_projection', { input: { changedPaths: ['x'] } })
    expect([answer.isError, answer.json.diagnostic]).toEqual([
      true,
      expect.stringContaining('a -> b -> a'),
    ])
  })

  test('[mcp.4.cancel] a program that never ends lets others be served, and ends when it is cancelled', async () => {
    put('program.scm', '(let loop () (issue.ready :limit 1) (loop))')
    const limits = { maxCalls: 100_000, maxSteps: 1e12, timeoutSeconds: 3600 }
    const params = { name: 'scheme_eval', arguments: { program: 'program.scm', ...limits } }
    const stopping = new AbortController()
    const asking = server.client.callTool(params, { signal: stopping.signal })
    const rows = () => (has(trajectory) ? text(trajectory).split('\n').length : 0)
    await expect.poll(rows).toBeGreaterThan(2)
    expect((await call('issue_ready')).json.count).toBe(1)
    stopping.abort()
    await expect(asking).rejects.toThrow()
    // Each call of the program leaves a row, so rows that come no more show its end. Between many
    // questions one that still runs makes some.
    await expect
      .poll(
        async () => {
          const before = rows()
          for (let at = 0; at < 40; at++) await call('issue_ready')
          return rows() - before
        },
        { interval: 500 },
      )
      .toBe(0)
    expect(rows()).toBeLessThan(limits.maxCalls)
  })
})
