/** With `--json`, every command reports an error in the same members. */
import { expect, test } from 'vitest'
import { operations } from '../src/operations/index.ts'
import { aProject } from './a-project.ts'

const { done, premath } = aProject()

/** A failing command line per command, after the command's words. */
const failing: Readonly<Record<string, readonly string[]>> = {
  'ci-hygiene-check': ['--no-such-flag'],
  'ci-instruction': ['--instruction', 'none.json'],
  'ci-pipeline-test': ['--skip', 'nothing'],
  clean: ['--older-than', 'week'],
  'coherence-check': ['--no-such-flag'],
  'config set': ['no-such-key', 'x'],
  'config show': ['--no-such-flag'],
  'conformance run': ['no-such-vectors'],
  'dep add': ['bd-1', 'bd-9'],
  'dep diagnostics': ['--issues', 'none.jsonl'],
  'dep project': ['--issues', 'none.jsonl'],
  'dep remove': ['bd-1', 'bd-9'],
  'dep replace': ['bd-1', 'bd-9', '--to-type', 'related'],
  'dep tree': ['bd-9'],
  'docs-coherence-check': ['none.md'],
  doctor: ['--no-such-flag'],
  'doctrine-check': ['--no-such-flag'],
  'governance-promotion-check': ['--input', 'none.json'],
  'harness-boot': ['--issues', 'none.jsonl'],
  'harness-escalate': ['--scope', 'loop', '--failure-class', 'x', '--attempt', '0'],
  'harness-feature check': ['--path', 'none.json'],
  'harness-feature next': ['--path', '.'],
  'harness-feature read': ['--path', 'none.json'],
  'harness-feature write': ['--feature-id', 'f', '--status', 'no-such-status'],
  'harness-join-check': ['--input', 'none.json'],
  'harness-kpi': ['--trajectory-path', '.'],
  'harness-kpi remediate': ['--reason', ' '],
  'harness-loop coordinator': ['--parallel', '999', '--work-cmd', 'true', '--verify-cmd', 'true'],
  land: ['bd-1', '--verify-cmd', 'true'],
  'land revert': ['bd-1', '--verify-cmd', 'true'],
  'land status': ['--onto', 'nowhere'],
  run: ['--workers', '0', '--work-cmd', 'true', '--verify-cmd', 'true'],
  'harness-loop worker': ['--issues', 'none.jsonl', '--work-cmd', 'true', '--verify-cmd', 'true'],
  'harness-relocation check': ['--input', 'none.json'],
  'harness-retry': ['--failure-class', 'x', '--attempt', '0'],
  'harness-session bootstrap': ['--path', '.'],
  'harness-session read': ['--path', 'none.json'],
  'harness-session write': ['--state', 'no-such-state'],
  'harness-step': ['--issue', 'bd-9', '--work-cmd', 'true', '--verify-cmd', 'true'],
  'harness-stop': ['--issues', 'none.jsonl'],
  'harness-trajectory append': ['--step-id', '', '--action', 'a', '--result-class', 'completed'],
  'harness-trajectory query': ['--path', '.'],
  init: ['--no-such-flag'],
  'instruction new': ['--issue', 'bd-9'],
  'instruction-check': ['--instruction', 'none.json'],
  'instruction-run': ['--instruction', 'none.json'],
  'instruction-witness': ['--instruction', 'none.json', '--runtime', 'none.json'],
  'issue add': [' '],
  'issue backend-status': ['--no-such-flag'],
  'issue blocked': ['--issues', 'none.jsonl'],
  'issue check': ['--issues', 'none.jsonl'],
  'issue claim': ['bd-9', '--assignee', 'ann'],
  'issue claim-next': ['--assignee', ' '],
  'issue close': ['bd-9', '--queue'],
  'issue comment': ['bd-9', 'Said'],
  'issue compact': ['--no-such-flag'],
  'issue discover': ['bd-9', 'Found'],
  'issue export': ['--issues', 'none.jsonl'],
  'issue import': ['none.jsonl'],
  'issue lease-projection': ['--issues', 'none.jsonl'],
  'issue lease-release': ['bd-1', '--lease-id', 'x', '--fence', '1'],
  'issue lease-renew': ['bd-1', '--assignee', 'ann', '--lease-id', 'x', '--fence', '1'],
  'issue list': ['--issues', 'none.jsonl'],
  'issue migrate-events': ['--no-such-flag'],
  'issue ready': ['--issues', 'none.jsonl'],
  'issue replay-events': ['--no-such-flag'],
  'issue show': ['bd-9'],
  'issue update': ['bd-9', '--title', 'New'],
  'issue-graph-check': ['--issues', 'none.jsonl'],
  log: ['bd-9'],
  observe: ['--surface', 'none.json'],
  'observe-build': ['--at', 'soon'],
  'mcp-serve': ['--http', 'nowhere'],
  'observe-serve': ['--bind', '0.0.0.0:0'],
  'merge-driver': ['a', 'b', 'c', 'd'],
  'policy check': ['--input', 'none.json'],
  'policy restore': [],
  'policy set': ['--input', 'none.json', '--reason', 'why'],
  'policy show': ['--no-such-flag'],
  prime: ['--issue', 'bd-9'],
  'proposal-check': ['--proposal', 'none.json'],
  'ci-required': ['--changed-file', '../a'],
  'required-decision-verify': ['--input', 'none.json'],
  'required-delta': ['--input', 'none.json'],
  'required-gate-ref': ['--input', 'none.json'],
  'required-projection': ['--input', 'none.json'],
  'required-witness': ['--runtime', 'none.json'],
  'required-witness-decide': ['--input', 'none.json'],
  'required-witness-verify': ['--input', 'none.json'],
  'resident serve': ['--no-such-flag'],
  'resident status': ['--no-such-flag'],
  'resident stop': ['--no-such-flag'],
  schema: ['no-such-kind'],
  repl: ['--max-calls', '0'],
  'scheme-eval': ['--expression', '(car 5)'],
  'spec conform': ['--jobs', '0'],
  'spec create': ['--into', '.', '--', 'true'],
  'spec explain': ['NONE-1'],
  'spec format': ['none.spec.md'],
  'spec lint': ['none.spec.md'],
  'spec list': ['none.spec.md'],
  'spec run': ['--shard', 'x'],
  'spec update': ['none.spec.md'],
  status: ['--issues', 'none.jsonl'],
  verify: ['--var', 'x'],
  uninit: ['--all'],
  'trust add': ['none.pem', '--role', 'ci'],
  'trust list': ['--trust', 'none.json'],
  'trust remove': ['none'],
  'witness export': ['bd-1'],
  'witness keygen': ['--no-such-flag'],
  'witness list': ['--no-such-flag'],
  'witness show': ['none'],
  'witness verify': [],
}

test('every command has a failing case here', () => {
  expect(Object.keys(failing).sort()).toEqual(Object.keys(operations).sort())
})

test.each(Object.entries(failing))('premath %s reports its error', (command, args) => {
  done('issue', 'add', 'First')
  const { status, stdout } = premath([...command.split(' '), '--json', ...args])
  const json = JSON.parse(stdout)
  expect(json).toMatchObject({
    error: {
      code: expect.stringMatching(/^[a-z_.]+$/),
      message: expect.stringMatching(/\w/),
      hint: expect.stringMatching(/\w/),
    },
    exitCode: status,
  })
  expect(status).not.toBe(0)
  // A refusal of issue memory says the same in the members it had before.
  if ('diagnostic' in json) {
    const { diagnostic, failureClasses, remedy, result } = json
    expect({ ...json.error, result }).toEqual({
      code: failureClasses[0],
      message: diagnostic,
      hint: remedy,
      result: 'rejected',
    })
  }
})
