import { expect, describe as group, test } from 'vitest'
import { aSpecRun, block, type SpecRunSetup } from '../../../test/a-spec-run.ts'

const registry = 'docs/spec/schema/docs_generator_registry_v1.yaml'
const start = '<!-- GENERATED:START list -->'
const end = '<!-- GENERATED:END list -->'

/** One surface, in the case and in the registry, with some keys changed in both. */
function surface(changes: Readonly<Record<string, string | undefined>> = {}) {
  const keys: Readonly<Record<string, string | undefined>> = {
    surface_id: 'list',
    output_mode: 'full_file',
    template_path: '/list.tpl',
    data_sources: '[{id: rows, source_type: json_file, path: /rows.json}]',
    ...changes,
  }
  return Object.entries(keys).flatMap(([name, one]) =>
    one === undefined ? [] : [`${name}: ${one}`],
  )
}

const declared = (lines: readonly string[] = surface(), outputs = '[/out.md]') =>
  `version: 1\nsurfaces:\n- {${[...lines, `outputs: ${outputs}`].join(', ')}}\n`

const generate = (
  lines: readonly string[] = surface(),
  { id = 'A', mode = 'write', output = '/out.md', more = [] as readonly string[] } = {},
) =>
  block(
    `id: ${id}`,
    'type: docs.generate',
    `harness: {docs_generate: {${[...lines, `mode: ${mode}`, `output_path: ${output}`].join(', ')}}}`,
    ...more,
  )

const files = {
  [registry]: declared(),
  'a.spec.md': generate(),
  'list.tpl': '{{#rows}}- {{name}}\n{{/rows}}',
  'rows.json': '[{"name": "one"}, {"name": "two"}]',
  'out.md': '- one\n- two\n',
}

async function ran(
  changed: Readonly<Record<string, string | undefined>> = {},
  setup: SpecRunSetup = {},
) {
  const given = Object.entries({ ...files, ...changed }).flatMap(([path, text]) =>
    text === undefined ? [] : [[path, text] as const],
  )
  const { outcomes, disk, started } = await aSpecRun(Object.fromEntries(given), setup)
  const { failure, status } = outcomes[0]?.outcome ?? {}
  const results = outcomes.map(({ outcome }) => outcome?.failure?.message ?? outcome?.status)
  const written = disk.contentOf('/r/out.md')
  return {
    verdict: failure ? `${failure.category}: ${failure.message}` : status,
    failure,
    results,
    started,
    disk,
    output: written === undefined ? undefined : new TextDecoder().decode(written),
  }
}

group('a check', () => {
  test('passes if the file is what the template generates', async () => {
    expect((await ran()).verdict).toBe('pass')
  })

  test('fails with the difference', async () => {
    const { failure, output } = await ran({ 'out.md': '- one\n- 2\n' })
    expect(failure).toMatchObject({
      category: 'assertion',
      path: 'harness.docs_generate.output_path',
      target: 'output_text',
      message: [
        '[case_id=A] /out.md is not what its template generates; premath spec run --write rewrites it',
        '--- /out.md',
        '+++ generated',
        '@@ -1,2 +1,2 @@',
        ' - one',
        '-- 2',
        '+- two',
      ].join('\n'),
    })
    expect(output).toBe('- one\n- 2\n')
  })

  test('[spec.7.output-mode] a missing whole file is a difference', async () => {
    const { verdict, output } = await ran({ 'out.md': undefined })
    expect(verdict).toMatch(/^assertion: .*is not what its template generates/)
    expect(output).toBeUndefined()
  })

  test('a final line feed counts', async () => {
    expect((await ran({ 'out.md': '- one\n- two' })).verdict).toMatch(/^assertion: /)
  })

  test('of mode check never writes', async () => {
    const changed = { 'a.spec.md': generate(surface(), { mode: 'check' }), 'out.md': 'old' }
    const { verdict, output } = await ran(changed, { writes: true })
    expect([verdict?.slice(0, 10), output]).toEqual(['assertion:', 'old'])
  })
})

group('a write', () => {
  test('replaces the file, and changes nothing the second time', async () => {
    const { verdict, output } = await ran({ 'out.md': 'old' }, { writes: true })
    expect([verdict, output]).toEqual(['pass', '- one\n- two\n'])
    const again = await ran({}, { writes: true })
    expect([again.verdict, again.output]).toEqual(['pass', '- one\n- two\n'])
  })

  test('makes a missing file and its folder', async () => {
    const changed = {
      [registry]: declared(surface(), '[/new/deep/out.md]'),
      'a.spec.md': generate(surface(), { output: '/new/deep/out.md' }),
    }
    const { verdict, disk } = await ran(changed, { writes: true })
    expect(verdict).toBe('pass')
    expect(new TextDecoder().decode(disk.contentOf('/r/new/deep/out.md'))).toBe('- one\n- two\n')
  })

  test('[spec.7.markers] changes only the text between the markers', async () => {
    const lines = surface({ output_mode: 'markers', marker_surface_id: 'list' })
    const changed = {
      [registry]: declared(lines),
      'a.spec.md': generate(lines),
      'out.md': `# Page\n\n${start}\nold\n${end}\n\nThe end.\n`,
    }
    const { verdict, output } = await ran(changed, { writes: true })
    expect(verdict).toBe('pass')
    expect(output).toBe(`# Page\n\n${start}\n\n- one\n- two\n${end}\n\nThe end.\n`)
    expect((await ran(changed)).output).toBe(changed['out.md'])
  })

  test('cases with one output path never overlap', async () => {
    const markers = (id: string) =>
      surface({
        surface_id: id,
        output_mode: 'markers',
        marker_surface_id: id,
        data_sources: '[{id: rows, source_type: command_output, command: [make], format: json}]',
      })
    const pair = (id: string) => `<!-- GENERATED:START ${id} -->\n<!-- GENERATED:END ${id} -->\n`
    const ids = ['one', 'two', 'three']
    const entries = ids.map(id => `- {${[...markers(id), 'outputs: [/out.md]'].join(', ')}}`)
    let running = 0
    const changed = {
      [registry]: `version: 1\nsurfaces:\n${entries.join('\n')}\n`,
      'a.spec.md': ids.map(id => generate(markers(id), { id })).join('\n'),
      'out.md': ids.map(pair).join(''),
    }
    const { results, output } = await ran(changed, {
      writes: true,
      jobs: 3,
      script: () => ({
        stdout: running++ === 0 ? '[{"name": "first"}]' : '[{"name": "later"}]',
      }),
    })
    expect(results).toEqual(['pass', 'pass', 'pass'])
    expect(output?.match(/- (?:first|later)/g)).toHaveLength(3)
  })

  test.each([
    ['the file', { '/r/out.md': '/outside.txt' }, '/out.md'],
    ['the file, inside the root', { '/r/out.md': '/r/rows.json' }, '/out.md'],
    ['a folder', { '/r/pages': '/elsewhere' }, '/pages/out.md'],
  ])('[spec.8.docs-paths] %s that is a link is refused', async (_, links, output) => {
    const changed = {
      [registry]: declared(surface(), `[${output}]`),
      'a.spec.md': generate(surface(), { output }),
      'out.md': undefined,
    }
    const { verdict, disk } = await ran(changed, { writes: true, links })
    expect(verdict).toBe(`schema: harness.docs_generate.output_path ${output} leads through a link`)
    expect(new TextDecoder().decode(disk.contentOf('/outside.txt'))).toBe('outside')
    expect(disk.isFolder('/elsewhere')).toBe(false)
  })

  test.each([
    ['/../out.md', 'escapes contract root'],
    ['a/../../out.md', 'escapes contract root'],
    ['//host/out.md', 'names a drive or a host'],
    ['/', 'must name a file'],
    ['/.git/hooks/pre-commit', 'must not lie in .git or .premath'],
    ['/list.tpl', 'is also an input of the surface'],
    ['/rows.json', 'is also an input of the surface'],
    ['"/{{chain.a.b}}.md"', 'must not be a template'],
  ])('[spec.8.docs-paths] the output path %s is refused', async (output, why) => {
    const changed = { 'a.spec.md': generate(surface(), { output }) }
    const { verdict, disk } = await ran(changed, { writes: true })
    expect(verdict).toContain(`harness.docs_generate.output_path ${why}`)
    expect(disk.contentOf('/out.md')).toBeUndefined()
  })
})

group('the registry', () => {
  test('[spec.7.surface] must declare the surface', async () => {
    const changed = { 'a.spec.md': generate(surface({ surface_id: 'lst' })) }
    const { verdict, failure } = await ran(changed)
    expect(verdict).toBe(`schema: /${registry} declares no surface lst`)
    expect(failure).toMatchObject({ hint: 'Did you mean list?' })
  })

  test('[spec.7.surface] must exist', async () => {
    const { verdict } = await ran({ [registry]: undefined })
    expect(verdict).toContain(`schema: the docs generator registry cannot be read: /${registry}:`)
  })

  test.each([
    ['output_mode', { output_mode: 'markers', marker_surface_id: 'list' }],
    ['template_path', { template_path: '/other.tpl' }],
    ['data_sources', { data_sources: '[{id: rows, source_type: yaml_file, path: /rows.json}]' }],
  ])('[spec.7.surface] must have the same %s', async (key, changes) => {
    const { verdict } = await ran({ 'a.spec.md': generate(surface(changes)) })
    expect(verdict).toBe(`schema: ${key} differs from that of list in /${registry}`)
  })

  test('must list the output', async () => {
    const { verdict } = await ran({ 'a.spec.md': generate(surface(), { output: '/other.md' }) })
    expect(verdict).toBe(`schema: /${registry} does not list /other.md under outputs of list`)
  })

  test.each([
    ['surfaces: []', 'missing required key: version'],
    ['version: 2\nsurfaces: []', ':1:10: version must be a whole number from 1 to 1'],
    ['- a', 'a registry must be a mapping, but is a list'],
    ['a: [', 'schema: '],
    [declared([...surface(), 'source_type: magic']), 'source_type must be one of manifest_yaml'],
    [declared(surface({ output_mode: 'markers' })), 'missing required key: surfaces[0].marker_'],
    [declared() + declared().split('\n')[2], 'surfaces[1].surface_id repeats list of surfaces[0]'],
    [declared(surface({ template_path: '/../a' })), 'template_path escapes contract root'],
  ])('that says %j is refused as a whole', async (text, message) => {
    const { verdict } = await ran({ [registry]: text })
    expect(verdict).toMatch(/^schema: \/docs\/spec\/schema\/docs_generator_registry_v1\.yaml:/)
    expect(verdict).toContain(message)
  })

  test('may have keys of other tools', async () => {
    const { verdict } = await ran({ [registry]: declared([...surface(), 'quality: {score: 1}']) })
    expect(verdict).toBe('pass')
  })
})

group('the template', () => {
  test('a missing key names its line and the key', async () => {
    const { failure } = await ran({ 'list.tpl': 'a\n{{#rows}}{{nam}}{{/rows}}' })
    expect(failure).toMatchObject({
      category: 'schema',
      message: '/list.tpl:2:10: the data has no key nam',
      path: 'harness.docs_generate.template_path',
    })
  })

  test('with strict: false a missing key prints nothing', async () => {
    const changed = {
      'a.spec.md': generate([...surface(), 'strict: false']),
      'list.tpl': '{{no}}{{#no}}x{{/no}}same',
      'out.md': 'same',
    }
    expect((await ran(changed)).verdict).toBe('pass')
  })

  test('[spec.7.moustache] a partial is refused at its place', async () => {
    const { verdict } = await ran({ 'list.tpl': 'a\n  {{> part}}' })
    expect(verdict).toBe('schema: /list.tpl:2:3: partials are not supported')
  })

  test('knows the surface, its output mode and all sources', async () => {
    const changed = {
      'list.tpl': '{{surface_id}} {{output_mode}} {{#sources.rows}}{{name}} {{/sources.rows}}',
      'out.md': 'list full_file one two ',
    }
    expect((await ran(changed)).verdict).toBe('pass')
  })

  test('does not know the mode: a check would never equal what was written', async () => {
    expect((await ran({ 'list.tpl': '{{mode}}' })).verdict).toContain('no key mode')
  })

  test.each([
    ['is missing', undefined, {}],
    ['leads out of the root', undefined, { '/r/list.tpl': '/outside.txt' }],
  ])('that %s is a schema failure', async (_, text, links) => {
    const { verdict } = await ran({ 'list.tpl': text }, { links })
    expect(verdict).toMatch(/^schema: the template cannot be read: \/list\.tpl: /)
  })
})

group('data sources', () => {
  const from = (source: string, more: Readonly<Record<string, string>> = {}) => {
    const lines = surface({ data_sources: `[${source}]` })
    return { [registry]: declared(lines), 'a.spec.md': generate(lines), ...more }
  }
  const shown = { 'list.tpl': '{{d}}', 'out.md': '1.0' }

  test.each([
    ['json_file', '/d.txt', '1.0'],
    ['yaml_file', '/d.txt', '# a number\n1.0\n'],
    ['generated_artifact', '/d.json', ' 1.0 '],
    ['generated_artifact', '/d.yml', '1.0'],
    ['generated_artifact', '/d.txt', '1.0'],
  ])('[spec.7.sources] %s %s', async (type, path, text) => {
    const source = `{id: d, source_type: ${type}, path: ${path}}`
    const { verdict } = await ran({ ...from(source), ...shown, [path.slice(1)]: text })
    expect(verdict).toBe('pass')
  })

  test.each([
    ['text', '1.0', '1.0'],
    ['json', '{"x": 1.0}\n', '{"x":1.0}'],
    ['yaml', 'x: [1.0, a]', '{"x":[1.0,"a"]}'],
  ])('[spec.7.sources] command_output as %s', async (format, stdout, text) => {
    const source = `{id: d, source_type: command_output, command: [make, "a b"], format: ${format}, timeout_ms: 50}`
    const { verdict, started } = await ran(
      { ...from(source), 'list.tpl': '{{d}}', 'out.md': text },
      { script: () => ({ stdout }), env: { A: '1' } },
    )
    expect(verdict).toBe('pass')
    expect(started[0]).toMatchObject({
      command: ['make', 'a b'],
      cwd: '/r',
      env: { A: '1' },
      timeoutMs: 50,
    })
  })

  const command = '{id: d, source_type: command_output, command: [make]}'
  test.each([
    ['fails', { exitCode: 3, stderr: 'no room\n' }, 'command_output d exited with 3: no room'],
    ['hangs', { takesMs: 60_000 }, 'command_output d timed out after 30000 ms: make'],
    [
      'says too much',
      { stdout: 'x'.repeat(9 * 1024 * 1024) },
      'command_output d wrote more than 8 MB to stdout: make',
    ],
  ])('[spec.7.sources] a command that %s is a failure of the run', async (_, script, message) => {
    const { verdict, failure } = await ran({ ...from(command), ...shown }, { script: () => script })
    expect(verdict?.split('\n')[0]).toBe(`runtime: ${message}`)
    expect(failure?.path).toBe('harness.docs_generate.data_sources[0]')
  })

  test.each([
    ['{id: d, source_type: json_file, path: /no.json}', 'cannot be read: /no.json: '],
    ['{id: d, source_type: json_file, path: /bad.json}', '/bad.json: not readable as JSON: '],
    ['{id: d, source_type: yaml_file, path: /bad.yaml}', '/bad.yaml:1:4: '],
    ['{id: d, source_type: json_file, path: /link.json}', 'escapes contract root through a link'],
  ])('[spec.7.sources] %s cannot be read', async (source, message) => {
    const { verdict } = await ran(
      { ...from(source), ...shown, 'bad.json': '{\n"a"', 'bad.yaml': 'a: b: c' },
      { links: { '/r/link.json': '/outside.txt' } },
    )
    expect(verdict).toMatch(/^schema: /)
    expect(verdict).toContain(message)
  })

  test.each([
    [
      '{id: d, source_type: json_file}',
      'missing required key: harness.docs_generate.data_sources[0].path',
    ],
    ['{id: d, source_type: command_output}', 'data_sources[0].command'],
    ['{id: d, source_type: json_file, path: /a, command: [x]}', 'has no meaning for json_file'],
    ['{id: sources, source_type: json_file, path: /a}', 'must not be sources'],
    ['{id: a.b, source_type: json_file, path: /a}', 'must not contain dots'],
    ['{id: d, source_type: magic, path: /a}', 'must be one of json_file, yaml_file'],
    ['{id: d, source_type: json_file, path: ../a}', 'path escapes contract root'],
    ['{id: d, source_type: command_output, command: "a b"}', 'must be a non-empty list'],
    ['{id: d, source_type: command_output, command: ["a\\0"]}', 'contains a NUL character'],
    [
      '{id: d, source_type: json_file, path: /a}, {id: d, source_type: json_file, path: /b}',
      'repeats the id d',
    ],
  ])('%s is refused before anything runs', async (source, message) => {
    const { verdict } = await ran(from(source))
    expect(verdict).toMatch(/^schema: /)
    expect(verdict).toContain(message)
  })

  test('the first problem ends the case: later commands do not run', async () => {
    const source = `{id: no, source_type: json_file, path: /no.json}, ${command}`
    expect((await ran(from(source), { script: () => ({}) })).started).toEqual([])
  })
})

group('targets', () => {
  const on = (target: string, value: string) => ({
    'a.spec.md': generate(surface(), {
      more: [
        `assert: [{target: ${target}, must: [{evaluate: [{eq: [{std.json.stringify: [{var: subject}]}, '${value}']}]}]}]`,
      ],
    }),
  })
  const result = (mode: string, changed: boolean) => ({
    changed,
    data_source_ids: ['rows'],
    mode,
    output_mode: 'full_file',
    output_path: '/out.md',
    status: 'pass',
    surface_id: 'list',
    template_path: '/list.tpl',
  })

  test('[spec.3.docs-targets] result_json, output_text and context_json', async () => {
    const { status: _, mode: __, surface_id: ___, ...context } = result('check', false)
    const envelope = {
      context,
      meta: { case_id: 'A', surface_id: 'list', target: 'docs.generate' },
      profile_id: 'docs.generate/v1',
      profile_version: 1,
      value: result('check', false),
    }
    const checks = [
      on('result_json', JSON.stringify(result('check', false))),
      on('output_text', JSON.stringify('- one\n- two\n')),
      on('context_json', JSON.stringify(envelope)),
    ]
    for (const check of checks) expect((await ran(check)).verdict).toBe('pass')
  })

  test('result_json tells what was written', async () => {
    const written = on('result_json', JSON.stringify(result('write', true)))
    expect((await ran({ ...written, 'out.md': 'old' }, { writes: true })).verdict).toBe('pass')
  })
})
