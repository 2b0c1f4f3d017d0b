import { expect, describe as group, test } from 'vitest'
import { aSpecRun, block, type SpecRunSetup } from '../../../test/a-spec-run.ts'

const registry = 'docs/spec/tools/typescript/tools_v1.yaml'
const declared = (...tools: readonly string[]) =>
  ['version: 1', 'implementation: typescript', 'tools:', ...tools.map(one => `- {${one}}`)].join(
    '\n',
  )
const named = (id: string) =>
  `tool_id: ${id}, effect_symbol: ops.proc.command.exec, capability_id: cap.exec`
const echo = `${named('echo')}, command: [node, echo.mjs]`

const call = (given = 'tool_id: echo, capabilities: [cap.exec]', ...lines: readonly string[]) =>
  block('id: A', 'type: orchestration.run', `harness: {orchestration: {${given}}}`, ...lines)

async function ran(
  document = call(),
  setup: SpecRunSetup = { script: () => ({ stdout: 'printed' }) },
  files: Readonly<Record<string, string>> = { [registry]: declared(echo) },
) {
  const { outcomes, started } = await aSpecRun({ 'a.spec.md': document, ...files }, setup)
  const outcome = outcomes[0]?.outcome
  const failure = outcome?.failure
  const verdict = failure ? `${failure.category}: ${failure.message}` : outcome?.status
  return { verdict, failure, started, warnings: outcome?.warnings }
}

const equal = (target: string, value: string) =>
  `assert: [{target: ${target}, must: [{evaluate: [{eq: [{var: subject}, ${value}]}]}]}]`

group('the tool', () => {
  test('[spec.6.registry] runs as the registry says, with the arguments of the case', async () => {
    const document = call(
      'tool_id: echo, capabilities: [other, cap.exec], args: [a b, $HOME, 1, 3.10, true], timeout_ms: 50',
    )
    const { verdict, started } = await ran(document, { script: () => ({}), env: { A: '1' } })
    expect(verdict).toBe('pass')
    expect(started).toMatchObject([
      {
        command: ['node', 'echo.mjs', 'a b', '$HOME', '1', '3.10', 'true'],
        cwd: '/r',
        env: { A: '1' },
        stdin: '',
        timeoutMs: 50,
      },
    ])
  })

  test('[spec.6.registry] of another implementation comes from its own registry', async () => {
    const rust = declared(`${named('go')}, adapter_subcommand: run-it`)
    const files = {
      'docs/spec/tools/rust/tools_v1.yaml': rust.replace('typescript', 'rust'),
    }
    const document = call('tool_id: go, impl: rust, capabilities: [cap.exec], args: [x]')
    const { verdict, started } = await ran(document, { script: () => ({}) }, files)
    expect(verdict).toBe('pass')
    expect(started[0]?.command).toEqual([
      'scripts/runner_adapter.sh',
      '--impl',
      'rust',
      'run-it',
      'x',
    ])
  })

  test.each([
    ['takes too long', { takesMs: 60_000 }, 'echo timed out after 30000 ms: node'],
    [
      'says too much',
      { stdout: 'x'.repeat(9 * 1024 * 1024) },
      'echo wrote more than 8 MB to stdout: node',
    ],
    [
      'cannot be started',
      { spawnFailed: { code: 'ENOENT', reason: 'there is no program node' } },
      'echo could not start node: there is no program node',
    ],
  ])('that %s is a failure of the run', async (_, script, message) => {
    const { verdict, failure } = await ran(call(), { script: () => script })
    expect(verdict?.split('\n')[0]).toBe(`runtime: ${message}`)
    expect(failure?.path).toBe('harness.orchestration.tool_id')
  })
})

group('a nonzero exit code', () => {
  const setup = { script: () => ({ exitCode: 3, stderr: 'no room' }) }

  test.each([
    ['exit_code', equal('exit_code', '3')],
    ['result_json', 'assert: [{target: result_json, must: [{contain: [\'"status":"fail"\']}]}]'],
    ['context_json', 'assert: [{target: context_json, must: [{contain: [\'"status":"fail"\']}]}]'],
  ])('does not fail the case, and %s shows it', async (_, assertion) => {
    const { verdict, warnings } = await ran(call(undefined, assertion), setup)
    expect([verdict, warnings]).toEqual(['pass', []])
  })

  test('that no assertion looks at is a warning', async () => {
    const { verdict, warnings } = await ran(call(undefined, equal('stderr', 'no room')), setup)
    expect([verdict, warnings]).toEqual([
      'pass',
      ['the tool echo exited with 3, and no assertion looks at it'],
    ])
    expect((await ran(call(undefined, equal('stdout', 'printed')))).warnings).toEqual([])
  })

  test('can be forbidden', async () => {
    const { verdict } = await ran(call(undefined, equal('exit_code', '0')), setup)
    expect(verdict).toMatch(/^assertion: /)
  })
})

group('before anything runs', () => {
  const refused = async (
    document: string,
    files?: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const { verdict, started } = await ran(document, { script: () => ({}) }, files)
    expect(started).toEqual([])
    return verdict ?? ''
  }

  test('[spec.6.capability] a capability that the case does not grant is refused', async () => {
    const message =
      'schema: ORCHESTRATION_OPS_CAPABILITY_BINDING_REQUIRED: the tool echo needs the capability cap.exec'
    expect(await refused(call('tool_id: echo'))).toBe(message)
    expect(await refused(call('tool_id: echo, capabilities: [cap, cap.exec2]'))).toBe(message)
  })

  test('[spec.6.registry] an undeclared tool is refused', async () => {
    const document = call('tool_id: ecko, capabilities: [cap.exec]')
    const { failure } = await ran(document)
    expect(failure).toMatchObject({ path: 'harness.orchestration.tool_id' })
    expect(await refused(document)).toBe(
      `schema: ORCHESTRATION_OPS_REGISTRY_DECLARED_REQUIRED: /${registry} declares no tool ecko`,
    )
    expect(failure?.hint).toBe('Did you mean echo?')
  })

  test('[spec.6.registry] a missing registry is refused', async () => {
    expect(await refused(call(), {})).toContain(
      `schema: the tool registry cannot be read: /${registry}:`,
    )
  })

  const other = (changes: string) => `${named('other')}, ${changes}`
  test.each([
    [
      '[spec.6.legacy] a legacy name',
      echo.replace('ops.proc.command.exec', 'ops.proc.exec'),
      'ORCHESTRATION_OPS_UNDERSCORE_LEGACY_FORBIDDEN',
    ],
    [
      '[spec.6.deep-dot] a shallow name',
      echo.replace('ops.proc.command.exec', 'ops.run'),
      'ORCHESTRATION_OPS_DEEP_DOT_REQUIRED',
    ],
    ['a blank capability', echo.replace('cap.exec', '" "'), 'capability_id must be non-blank text'],
    [
      'a missing capability',
      echo.replace(', capability_id: cap.exec', ''),
      'missing required key: tools[1].capability_id',
    ],
    ['no command', named('x'), 'tools[1] must have either command or adapter_subcommand'],
    ['two commands', other('command: [a], adapter_subcommand: b'), 'either command or adapter'],
    ['a command line', other('command: a b'), 'tools[1].command must be a non-empty list'],
    ['a NUL character', other('command: ["a\\0"]'), 'contains a NUL character'],
    ['a second tool of one name', echo, 'tools[1].tool_id repeats echo of tools[0]'],
  ])('%s of any tool refuses the whole registry', async (_, tool, message) => {
    const verdict = await refused(call(), { [registry]: declared(echo, tool) })
    expect(verdict).toMatch(/^schema: \/docs\/spec\/tools\/typescript\/tools_v1\.yaml:5:\d+: /)
    expect(verdict).toContain(message)
  })

  test('a registry of another implementation is refused', async () => {
    const files = { [registry]: declared(echo).replace('typescript', 'rust') }
    expect(await refused(call(), files)).toContain(
      'implementation is rust, but the registry is that of typescript',
    )
  })

  test.each([
    ['impl: ../../x', 'harness.orchestration.impl must be a word'],
    ['args: [[a]]', 'args[0] must be text, a number'],
    ['args: ["a\\0"]', 'args[0] contains a NUL character'],
    ['argz: []', 'unknown key in harness.orchestration: argz'],
  ])('%s is refused', async (given, message) => {
    expect(await refused(call(`tool_id: echo, ${given}`))).toContain(message)
  })
})

group('targets', () => {
  const printed = (target: string, value: object) =>
    `assert: [{target: ${target}, must: [{evaluate: [{eq: [{std.json.stringify: [{var: subject}]}, '${JSON.stringify(value)}']}]}]}]`
  const result = {
    artifacts: [],
    data: { exit_code: 2, stderr: 'e', stdout: 'o' },
    diagnostics: [],
    impl: 'typescript',
    status: 'fail',
    tool_id: 'echo',
  }

  test.each([
    ['stdout', equal('stdout', 'o')],
    ['stderr', equal('stderr', 'e')],
    ['exit_code', equal('exit_code', '2')],
    [
      'result_json',
      printed('result_json', {
        artifacts: [],
        data: result.data,
        diagnostics: [],
        duration_ms: 0,
        ended_at_utc: '1970-01-01T00:00:00Z',
        impl: 'typescript',
        started_at_utc: '1970-01-01T00:00:00Z',
        status: 'fail',
        tool_id: 'echo',
      }),
    ],
    [
      'context_json',
      printed('context_json', {
        context: { impl: 'typescript', subcommand: '' },
        meta: {
          case_id: 'A',
          effect_symbol: 'ops.proc.command.exec',
          target: 'orchestration.run',
          tool_id: 'echo',
        },
        profile_id: 'orchestration.run/v1',
        profile_version: 1,
        value: result,
      }),
    ],
  ])('[spec.3.orchestration-targets] %s', async (_, assertion) => {
    const script = () => ({ exitCode: 2, stdout: 'o', stderr: 'e' })
    expect((await ran(call(undefined, assertion), { script })).verdict).toBe('pass')
  })
})
