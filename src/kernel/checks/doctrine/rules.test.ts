import { describe, expect, test } from 'vitest'
import { judge } from '../check.ts'
import { hostActions, routes } from './contract.ts'
import { type DoctrineFacts, doctrineRules } from './rules.ts'

/** One operation for each route and host action, and a tool for each action. */
const opIds = [...new Set([...routes, ...Object.values(hostActions).map(({ opId }) => opId)])]
const changing = new Set(
  Object.values(hostActions).flatMap(({ opId, changes }) => (changes ? [opId] : [])),
)
const commandOf = (opId: string) => opId.replace('op/', '').replace('.', ' ')

const operations = opIds.map(opId => ({
  command: commandOf(opId),
  opId,
  effect: changing.has(opId) ? ('mutation' as const) : ('read' as const),
  hasDescription: true,
  hasOutput: true,
}))

const sound: DoctrineFacts = {
  operations,
  tools: Object.entries(hostActions).map(([action, { opId }]) => ({
    tool: action.replaceAll('.', '_'),
    action,
    command: commandOf(opId),
    opId: undefined,
  })),
  commands: new Map([
    ...operations.map(({ command }) => [command, new Set(['json'])] as const),
    ...['governance-promotion-check', 'policy set', 'policy show'].map(
      command => [command, new Set<string>()] as const,
    ),
  ]),
  reference: operations
    .map(({ command, opId }) => `### premath ${command}\n\nOperation \`${opId}\`.\n`)
    .join('\n'),
  claims: ['profile.doctrine_inf_governance.v0'],
  instructions: [],
  requiredChecks: [],
  checks: new Map(),
}

const rejectedIn = (facts: DoctrineFacts) =>
  judge('doctrine', doctrineRules, facts).flatMap(({ obligationId, details }) =>
    details.findings.map(({ at }) => [obligationId, at]),
  )

const extra = { command: 'x', effect: 'read', hasDescription: true, hasOutput: true } as const
const spoiled = (command: string, change: object): DoctrineFacts => ({
  ...sound,
  operations: operations.map(one => (one.command === command ? { ...one, ...change } : one)),
})
const tool = (named: string, change: object): DoctrineFacts => ({
  ...sound,
  tools: sound.tools.map(one => (one.tool === named ? { ...one, ...change } : one)),
})

const claim = commandOf('op/mcp.issue_claim')
const list = commandOf('op/mcp.issue_list')

const broken: Readonly<Record<string, readonly (readonly [DoctrineFacts, string])[]>> = {
  op_id: [
    [{ ...sound, operations: [...operations, { ...extra, opId: 'op/mcp.issue_claim' }] }, 'x'],
    [{ ...sound, operations: [...operations, { ...extra, opId: 'x' }] }, 'x'],
  ],
  route: [
    [
      spoiled(commandOf('op/mcp.issue_lease_projection'), { opId: 'op/a.b' }),
      'op/mcp.issue_lease_projection',
    ],
  ],
  host_action: [
    [{ ...sound, tools: sound.tools.filter(one => one.action !== 'issue.list') }, 'issue.list'],
    [tool('issue_list', { command: claim }), 'issue.list'],
    [tool('issue_list', { opId: 'op/other.list' }), 'issue.list'],
  ],
  tool: [
    [spoiled(list, { hasDescription: false }), 'issue_list'],
    [tool('issue_list', { tool: 'issue_ready' }), 'issue_ready'],
    [tool('issue_list', { tool: `issue_${'l'.repeat(50)}` }), `issue_${'l'.repeat(50)}`],
    [tool('issue_list', { command: 'gone' }), 'issue_list'],
  ],
  read_only: [
    [spoiled(claim, { effect: 'read' }), 'issue_claim'],
    [spoiled(list, { effect: 'mutation' }), 'issue_list'],
  ],
  reference: [
    [
      { ...sound, reference: (sound.reference ?? '').replace(`premath ${list}\n`, 'premath\n') },
      list,
    ],
    [{ ...sound, reference: (sound.reference ?? '').replace('`op/mcp.issue_list`', '') }, list],
  ],
  claim: [
    [{ ...sound, claims: ['profile.none'] }, 'profile.none'],
    [{ ...sound, claims: ['capabilities.ci_witnesses'] }, 'capabilities.ci_witnesses'],
  ],
  instruction: [
    [
      {
        ...sound,
        instructions: [
          {
            path: 'instructions/x.json',
            refused: { failureClass: 'instruction_x', message: 'no' },
            requestedChecks: [],
            capabilityClaims: [],
          },
        ],
      },
      'instructions/x.json',
    ],
  ],
  check_command: [
    [{ ...sound, requiredChecks: [{ path: 'policies/x.json', checkId: 'c' }] }, 'policies/x.json'],
    [{ ...sound, checks: new Map([['c', 'premath nonsense']]) }, 'c'],
  ],
}

test('a list of operations that agrees with everything is accepted', () => {
  expect(rejectedIn(sound)).toEqual([])
})

describe('each rule', () => {
  test('has a list that breaks it', () => {
    expect(Object.keys(broken)).toEqual(Object.keys(doctrineRules))
  })

  const rows = Object.entries(broken).flatMap(([rule, cases]) =>
    cases.map(([facts, at], number) => [rule, number, facts, at] as const),
  )
  test.each(rows)(
    'finds %s, %i [runtime.8.routes] [runtime.9.doctrine]',
    (rule, _number, facts, at) => {
      expect(rejectedIn(facts)).toContainEqual([rule, at])
    },
  )
})
