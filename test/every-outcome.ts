/**
 * Documents with every type of case and every kind of outcome, to be run with `flags`. The output
 * of some has characters that a report cannot hold as they are.
 */
import { resolve } from 'node:path'
import { block } from './a-spec-run.ts'

const argv = (...words: readonly string[]) => JSON.stringify(words)
const sh = (script: string) => argv('sh', '-c', script)

const cli = (id: string, script: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: cli.run', `harness: {entrypoint: ${sh(script)}}`, ...lines)

const chained = (id: string, to: string, ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: cli.run',
    `harness: {entrypoint: [echo], chain: {steps: [{id: first, ref: "#${to}", exports: {out: {from_target: stdout}}}]}}`,
    ...lines,
  )

const equal = (target: string, value: string) =>
  `assert: [{target: ${target}, must: [{evaluate: [{eq: [{var: subject}, ${value}]}]}]}]`

/** Controls, escapes, directions, ends of CDATA and YAML, no UTF-8, and what XML forbids. */
const odd = String.raw`'\000\001\033[31m\r\b\177 ]]> <b>&amp; "q" \342\200\256 \342\200\213 \357\277\276 \360\237\230\200 \377\n...\n---\nok 1 # SKIP\n1..9\n::error::x\n\ttab '`

const commands = [
  cli('PASS', 'echo good', 'title: prints a line', 'tags: [smoke]', equal('stdout', '"good\\n"')),
  cli('FAIL', 'seq 9', 'assert: [{target: stdout, must: [{equal: "1\\n3\\n"}]}]'),
  cli('EXIT', 'echo out; echo err >&2; exit 3'),
  cli('ODD-OUTPUT', `printf ${odd}`, 'assert: [{target: stdout, must: [{contain: [absent]}]}]'),
  cli(
    'ODD-EXPECTED',
    'true',
    `assert: [{target: stdout, must: [{equal: "\\x00\\x1b]]>\\uFFFE"}]}]`,
  ),
  block(
    'id: "ODD-NAME-\\u202e\\u0007\\uFFFF"',
    'title: "ends # SKIP \\\\ with ]]> & \\u0001"',
    'type: cli.run',
    'harness: {entrypoint: ["false"]}',
  ),
  cli('SCHEMA', 'true', equal('stdout', '{no_such_symbol: [1]}')),
  cli('SHAPE', 'true', 'no_such_key: 1'),
  block('id: RUNTIME', 'type: cli.run', 'harness: {entrypoint: [no-such-program]}'),
  block('id: TIMEOUT', 'type: cli.run', 'harness: {entrypoint: [sleep, "600"], timeout_ms: 300}'),
  cli('SKIP', 'true', 'requires: {capabilities: [wings], when_missing: skip}'),
  cli('EXPECTED', 'exit 4', 'expect: {portable: {status: fail, category: assertion}}'),
  cli('UNEXPECTED', 'true', 'expect: {portable: {status: fail, category: runtime}}'),
  cli('FLAKY', 'mkdir -p artifacts; mkdir artifacts/once 2>/dev/null && exit 1; exit 0'),
  chained('CHAIN', 'PASS', equal('chain_json', '1')),
  chained('BROKEN-CHAIN', 'EXIT'),
]

const console = [
  '# Console',
  '',
  '```console',
  '$ echo shown',
  'shown',
  '$ echo other; exit 2',
  'expected',
  '```',
  '',
  '## Good',
  '',
  '```console',
  '$ seq 2',
  '1',
  '2 (any)',
  '```',
  '',
].join('\n')

const local = (id: string, url: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: api.http', `request: {method: GET, url: ${url}}`, ...lines)

const live = (id: string, paths: readonly string[], ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: api.http',
    'harness:',
    '  api_http:',
    '    mode: live',
    '    scenario:',
    '      setup:',
    `        command: ${argv(process.execPath, resolve('test/services/echo.mjs'))}`,
    "        ready_output: {regex: 'echo on port (\\d+)', as: port, timeout_ms: 240000}",
    'requests:',
    ...paths.map(
      (path, at) =>
        `- {id: s${at}, method: POST, url: 'http://127.0.0.1:{{port}}${path}', body_text: 'a=<&>', timeout_ms: 240000}`,
    ),
    ...lines,
  )

const http = [
  local('HTTP-PASS', '/answer.json', equal('status_code', '200')),
  local('HTTP-FAIL', '/answer.json', equal('body_json', '{lit: {list: [2]}}')),
  local('HTTP-RUNTIME', '/no-such-answer.json'),
  local('HTTP-SCHEMA', 'http://127.0.0.1:1/'),
  live('HTTP-SCENARIO', ['/echo', '/here'], equal('status_code', '404')),
  live('HTTP-STEP', ['/{{steps.s9.body_text}}']),
]

const tool = (id: string, tool_id: string, ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: orchestration.run',
    `harness: {orchestration: {tool_id: ${tool_id}, args: [a], capabilities: [tools.exec]}}`,
    ...lines,
  )

const tools = [
  tool('TOOL-PASS', 'tool.print', equal('stdout', '"a\\n"')),
  tool('TOOL-FAIL', 'tool.print', equal('exit_code', '3')),
  tool('TOOL-UNCHECKED', 'tool.fail'),
  tool('TOOL-SCHEMA', 'tool.unknown'),
]

const surface = (id: string) =>
  [
    `surface_id: ${id}, output_mode: full_file, template_path: /page.tpl`,
    'data_sources: [{id: answer, source_type: json_file, path: /answer.json}]',
  ].join(', ')

const page = (id: string) =>
  block(
    `id: DOCS-${id.toUpperCase()}`,
    'type: docs.generate',
    `harness: {docs_generate: {${surface(id)}, mode: check, output_path: /${id}.md}}`,
  )

const library = [
  block(
    'id: LIBRARY',
    'type: spec_lang.library',
    'definitions: {public: {twice: {fn: [[x], {mul: [{var: x}, 2]}]}}}',
  ),
  block(
    'id: FILE',
    'type: text.file',
    'path: /answer.json',
    'harness: {spec_lang: {includes: [/library.spec.md], exports: [twice]}}',
    'assert: [{target: text, must: [{evaluate: [{eq: [{call: [{var: twice}, 2]}, 5]}]}]}]',
  ),
  block('id: NO-FILE', 'type: text.file', 'path: /no-such-file'),
]

/** By path below the contract root. */
export const everyOutcome: Readonly<Record<string, string>> = {
  'commands.spec.md': commands.join(''),
  'console.spec.md': console,
  'http.spec.md': http.join(''),
  'tools.spec.md': tools.join(''),
  'pages.spec.md': page('same') + page('other'),
  'library.spec.md': library.join(''),
  'answer.json': '{"list": [1]}\n',
  'page.tpl': 'List {{answer.list}}.\n',
  'same.md': 'List [1].\n',
  'other.md': 'List [2].\n',
  'docs/spec/schema/docs_generator_registry_v1.yaml': `version: 1\nsurfaces: [${['same', 'other']
    .map(id => `{${surface(id)}, outputs: [/${id}.md]}`)
    .join(', ')}]\n`,
  'docs/spec/tools/typescript/tools_v1.yaml': JSON.stringify({
    version: 1,
    implementation: 'typescript',
    tools: [
      ['tool.print', 'echo "$1"'],
      ['tool.fail', 'exit 3'],
    ].map(([tool_id, script = '']) => ({
      tool_id,
      effect_symbol: 'ops.proc.command.exec',
      capability_id: 'tools.exec',
      command: ['sh', '-c', script, 'tool'],
    })),
  }),
}

/** A document that cannot be read. */
export const unreadable = {
  'unreadable.spec.md': block('id: C', '\ttype: "\u0007]]>\u202e\ufffe"'),
}
