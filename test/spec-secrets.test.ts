/** Secrets of a run, in cases of every type that fail in every way: no output and no file tells them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'

const project = aProject()

const env = {
  TOKEN: `s3cr+t/é "q" & <x>'y\\z`,
  KEY_FILE: '-----BEGIN KEY-----\nMIIEowIBAAKCAQEA7\nq8Zk2vT+/w==\n-----END KEY-----\n',
  CLIENT: 'a-client-of-tests',
  SECRET: 'hunter+2%:x&y=z',
}
/** As the token server of the tests gives them out. */
const granted = 'granted-token-1'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Every usual spelling, whole and in part: half a secret is still a leak. */
function spellingsOf(secret: string): readonly string[] {
  const form = new URLSearchParams({ a: secret }).toString().slice(2)
  const whole = [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(form),
    form,
    encodeURI(secret),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    xml(secret),
    xml(secret).replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    // A text may start at any of three places of a group. The first and the last group hold others.
    ...['', 'x', 'xx'].map(before => base64(before + secret).slice(4, -4)),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
  ]
  return whole.flatMap(text => [text, text.slice(0, 10), text.slice(-10)])
}

const needles = new Set([
  ...[env.TOKEN, env.SECRET, granted, ...env.KEY_FILE.trim().split('\n').slice(1, 3)].flatMap(
    spellingsOf,
  ),
  base64(`${encodeURIComponent(env.CLIENT)}:${encodeURIComponent(env.SECRET)}`).slice(24, -4),
])

function mustTellNone(what: string, text: string): void {
  const found = [...needles].filter(needle => text.includes(needle))
  const at = found.map(needle => text.slice(Math.max(0, text.indexOf(needle) - 60)).slice(0, 120))
  expect([what, found, at]).toEqual([what, [], []])
}

const argv = (...words: readonly string[]) => JSON.stringify(words)
const sh = (script: string) => argv('sh', '-c', script)
const tellAll = `printf '%s\\n' "$TOKEN" "$KEY_FILE" "$CLIENT" "$SECRET"`
const fails = (target: string, leaf: string) => `assert: [{target: ${target}, must: [${leaf}]}]`
const isAbsent = '{evaluate: [{eq: [{var: subject}, absent]}]}'

const cli = (id: string, harness: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: cli.run', `harness: {${harness}}`, ...lines)
const prints = 'entrypoint: [printf, "%s\\n"]'
const secretArgv = 'argv: ["{{var.TOKEN}}", "{{var.KEY_FILE}}"]'

const commands = [
  cli('CONTAIN', prints, secretArgv, fails('stdout', '{contain: [absent]}')),
  cli('EQUAL', prints, secretArgv, fails('stdout', '{equal: "one {{var.TOKEN}}\\ntwo\\n"}')),
  cli(
    'LINES',
    prints,
    secretArgv,
    fails('stdout', '{lines: "a {{var.TOKEN}}\\n{{var.KEY_FILE}} (glob)\\n"}'),
  ),
  cli('REGEX', prints, secretArgv, fails('stdout', '{regex: ["({{var.TOKEN}}"]}')),
  cli(
    'EVALUATE',
    prints,
    secretArgv,
    fails('stdout', '{evaluate: [{eq: [{var: subject}, {get: [{var: vars}, KEY_FILE]}]}]}'),
  ),
  cli(
    'SYMBOL',
    prints,
    secretArgv,
    fails('stdout', '{evaluate: [{eq: [{get: [{var: vars}, TOKEN]}, {no_such: []}]}]}'),
  ),
  cli(
    'KIND',
    prints,
    secretArgv,
    fails('stdout', '{evaluate: [{add: [{var: subject}, {get: [{var: vars}, TOKEN]}]}]}'),
  ),
  cli(
    'JSON',
    prints,
    'argv: ["{\\"a\\": [\\"{{var.SECRET_TEXT}}\\"]}"]',
    fails('stdout_json', isAbsent),
  ),
  cli('NO-JSON', prints, secretArgv, fails('stdout_json', isAbsent)),
  cli('CONTEXT', prints, secretArgv, fails('context_json', isAbsent)),
  cli('EXIT', `entrypoint: ${sh(`${tellAll}; ${tellAll} >&2; exit 3`)}`),
  cli(
    'LONG',
    `entrypoint: ${sh('i=0; while [ $i -lt 3000 ]; do printf %s "$TOKEN"; i=$((i + 1)); done; exit 3')}`,
  ),
  cli(
    'TIMEOUT',
    `timeout_ms: 400, entrypoint: ${sh('echo "$TOKEN"; echo "$KEY_FILE" >&2; exec sleep 600')}`,
  ),
  cli(
    'TOO-MUCH',
    `entrypoint: ${argv(process.execPath, '-e', 'process.stdout.write(process.env.TOKEN.repeat(500000))')}`,
  ),
  cli('PROGRAM', 'entrypoint: ["/no/{{var.TOKEN}}"]'),
  cli('HOOK', `entrypoint: ["true"], hook_before: ${JSON.stringify('sh tell.sh')}`),
  cli('SET-UP', 'entrypoint: ["true"], setup_files: [{path: "../{{var.TOKEN}}", text: x}]'),
  cli(
    'EXPECTED',
    prints,
    secretArgv,
    'expect: {portable: {status: fail, category: assertion}}',
    fails('stdout', '{contain: [absent]}'),
  ),
  cli(
    'UNEXPECTED',
    prints,
    secretArgv,
    'expect: {portable: {status: fail, category: schema, message_tokens: ["{{var.TOKEN}}"]}}',
    fails('stdout', '{contain: [absent]}'),
  ),
  cli('EXPORTS', prints, secretArgv),
  cli(
    'CHAIN',
    `${prints}, chain: {steps: [{id: s, ref: "#EXPORTS", exports: {out: {from_target: stdout}}}]}`,
    'argv: ["{{chain.s.out}}"]',
    fails('chain_json', isAbsent),
  ),
  cli('BROKEN-CHAIN', `${prints}, chain: {steps: [{id: s, ref: "#EXIT"}]}`),
  block('id: FILE', 'type: text.file', 'path: "/no/{{var.TOKEN}}"'),
  block(
    'id: OWN-FILE',
    'type: text.file',
    'path: /page.tpl',
    fails('text', '{contain: ["{{var.TOKEN}}"]}'),
  ),
]

const console = [
  '# Console',
  '',
  '```console',
  '$ echo "$TOKEN"',
  'other',
  '$ echo "$KEY_FILE"; exit 3',
  '```',
  '',
].join('\n')

const echo = argv(process.execPath, resolve('test/services/echo.mjs'))
const listening = [
  'setup:',
  `  command: ${echo}`,
  "  ready_output: {regex: 'echo on port (\\d+)', as: port, timeout_ms: 240000}",
]
const origin = 'http://127.0.0.1:{{port}}'
const oauth = (more = '', path = '/token') =>
  `    auth: {oauth: {token_url: '${origin}${path}', client_id_env: CLIENT, client_secret_env: SECRET${more}}}`

const http = (id: string, setup: readonly string[], ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: api.http',
    'harness:',
    '  api_http:',
    '    mode: live',
    ...(setup.length > 0 ? ['    scenario:', ...setup.map(line => `      ${line}`)] : []),
    ...lines,
  )
const get = (path: string, more = '') =>
  `request: {method: POST, url: "${origin}${path}", timeout_ms: 240000${more}}`
const asked = '/echo?a={{var.TOKEN}}'
const sent = ', headers: {X-Key: "{{var.SECRET_TEXT}}"}, body_text: "{{var.TOKEN}}{{var.KEY_FILE}}"'

const requests = [
  http('HTTP-BODY', listening, oauth(), get(asked, sent), fails('body_text', isAbsent)),
  http(
    'HTTP-BODY-JSON',
    listening,
    oauth(),
    get('/echo', ', body_json: {a: "{{var.TOKEN}}"}'),
    fails('body_json', isAbsent),
  ),
  http(
    'HTTP-FORM',
    listening,
    oauth(),
    get('/echo', ', query: {q: "{{var.TOKEN}}"}, form: {a: "{{var.TOKEN}}"}'),
    fails('steps_json', isAbsent),
  ),
  http('HTTP-CONTEXT', listening, oauth(), get(asked, sent), fails('context_json', isAbsent)),
  http('HTTP-HEADERS', listening, oauth(), get('/here', sent), fails('headers_json', isAbsent)),
  http('HTTP-REFUSED-BASIC', listening, oauth('', '/refused'), get('/echo')),
  http('HTTP-REFUSED-BODY', listening, oauth(', auth_style: body', '/refused'), get('/echo')),
  http(
    'HTTP-REFUSED-SCOPE',
    listening,
    oauth(', scope: "{{var.TOKEN}}"', '/refused'),
    get('/echo'),
  ),
  http('HTTP-NO-HOST', [], 'request: {method: GET, url: "http://127.0.0.1:1/{{var.TOKEN}}"}'),
  http('HTTP-NO-URL', [], 'request: {method: GET, url: "http://{{var.TOKEN}}/"}'),
  http('HTTP-USER', [], 'request: {method: GET, url: "http://user:{{var.TOKEN}}@127.0.0.1:1/"}'),
  http(
    'HTTP-HEADER',
    [],
    'request: {method: GET, url: "http://127.0.0.1:1/", headers: {X: "{{var.KEY_FILE}}"}}',
  ),
  http(
    'HTTP-STEPS',
    listening,
    oauth(),
    'requests:',
    `- {id: a, method: POST, url: "${origin}/echo", body_text: "{{var.TOKEN}}", capture: {got: {from: body_json, path: authorization}}}`,
    `- {id: b, method: POST, url: "${origin}/echo", body_text: "{{steps.a.body_text}}", assert: [{target: body_text, must: [{contain: [absent]}]}]}`,
  ),
  http(
    'HTTP-STEPS-JSON',
    listening,
    oauth(),
    'requests:',
    `- {id: a, method: POST, url: "${origin}${asked}", form: {a: "{{var.TOKEN}}"}}`,
    fails('steps_json', isAbsent),
  ),
  http(
    'HTTP-CAPTURE',
    listening,
    oauth(),
    'requests:',
    `- {id: a, method: POST, url: "${origin}/echo", body_text: "{{var.TOKEN}}", capture: {got: {from: body_text, regex: "absent {{var.TOKEN}}"}}}`,
  ),
  http(
    'HTTP-SET-UP',
    [`setup: {command: ${sh(`${tellAll}; exit 3`)}}`],
    'request: {method: GET, url: /page.tpl}',
  ),
  http(
    'HTTP-NEVER-READY',
    [
      `setup: {command: ${sh('i=0; while [ $i -lt 4000 ]; do echo "$TOKEN"; i=$((i + 1)); done')}, ready_output: {regex: never}}`,
    ],
    get('/echo'),
  ),
  http(
    'HTTP-TEARDOWN',
    ['teardown: {command: ["/no/{{var.TOKEN}}"]}'],
    'request: {method: GET, url: /page.tpl}',
  ),
  block('id: HTTP-FILE', 'type: api.http', 'request: {method: GET, url: "/no/{{var.TOKEN}}"}'),
]

const tool = (id: string, name: string, ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: orchestration.run',
    `harness: {orchestration: {tool_id: "${name}", args: ["{{var.TOKEN}}"], capabilities: [tools.exec]}}`,
    ...lines,
  )
const tools = [
  tool('TOOL-RESULT', 'tool.tell', fails('result_json', isAbsent)),
  tool('TOOL-CONTEXT', 'tool.tell', fails('context_json', isAbsent)),
  tool('TOOL-STDERR', 'tool.tell', fails('stderr', '{equal: "{{var.TOKEN}}\\nabsent\\n"}')),
  tool('TOOL-NONE', '{{var.TOKEN}}'),
  tool('TOOL-TIMEOUT', 'tool.hang').replace('args:', 'timeout_ms: 400, args:'),
]

const surfaces = {
  page: `data_sources: [{id: told, source_type: command_output, format: text, command: ${sh('printf "%s" "$TOKEN"')}}]`,
  broken: `data_sources: [{id: told, source_type: command_output, format: text, command: ${sh(`${tellAll} >&2; exit 1`)}}]`,
  unread: `data_sources: [{id: told, source_type: command_output, format: json, command: ${sh(tellAll)}}]`,
}
const surface = (id: string, sources: string) =>
  `surface_id: ${id}, output_mode: full_file, template_path: /page.tpl, ${sources}`
const pages = Object.entries(surfaces).map(([id, sources]) =>
  block(
    `id: DOCS-${id.toUpperCase()}`,
    'type: docs.generate',
    `harness: {docs_generate: {${surface(id, sources)}, mode: check, output_path: /${id}.md}}`,
  ),
)

const files: Readonly<Record<string, string>> = {
  'a-commands.spec.md': commands.join(''),
  'b-console.spec.md': console,
  'c-http.spec.md': requests.join(''),
  'd-tools.spec.md': tools.join(''),
  'e-pages.spec.md': pages.join(''),
  'tell.sh': `${tellAll} >&2; exit 1\n`,
  'page.tpl': 'Told: {{told}}.\n',
  'page.md': 'Told: nothing.\n',
  'docs/spec/schema/docs_generator_registry_v1.yaml': `version: 1\nsurfaces: [${Object.entries(
    surfaces,
  )
    .map(([id, sources]) => `{${surface(id, sources)}, outputs: [/${id}.md]}`)
    .join(', ')}]\n`,
  'docs/spec/tools/typescript/tools_v1.yaml': JSON.stringify({
    version: 1,
    implementation: 'typescript',
    tools: [
      ['tool.tell', `echo "$1"; ${tellAll} >&2; exit 3`],
      ['tool.hang', `echo "$1"; ${tellAll} >&2; exec sleep 600`],
    ].map(([tool_id, script = '']) => ({
      tool_id,
      effect_symbol: 'ops.proc.command.exec',
      capability_id: 'tools.exec',
      command: ['sh', '-c', script, 'tool'],
    })),
  }),
}

function given(): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(project.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

const reports = ['pretty', 'json', 'junit', 'tap', 'ctrf', 'html', 'github']
const flags = ['--secret', 'TOKEN', '--secret', 'KEY_FILE', '--var', `SECRET_TEXT=${env.SECRET}`]

/** What the command prints. */
function printed(args: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const { stdout, stderr } = project.premath(['spec', ...args, ...flags], {
    env: { ...env, ...more },
  })
  mustTellNone(`stdout of ${args.join(' ')}`, stdout)
  mustTellNone(`stderr of ${args.join(' ')}`, stderr)
  return stdout
}

describe('secrets of a run in which every case fails', () => {
  test('[spec.3.oauth-redaction] are in no output, no report and no file', () => {
    given()
    const temporary = join(project.folder, 'tmp')
    for (const path of [temporary, join(project.folder, '.premath')]) mkdirSync(path)
    const filed = reports.flatMap(name => ['--report', `${name}=artifacts/${name}`])
    const json = JSON.parse(
      printed(['run', '--trace', '--profile', '--json', '--jobs', '4', ...filed], {
        TMPDIR: temporary,
        GITHUB_ACTIONS: 'true',
      }),
    )
    const passed = json.results.filter(({ status }: { status: string }) => status !== 'fail')
    expect(passed.map(({ id }: { id: string }) => id)).toEqual(['EXPECTED', 'EXPORTS'])
    expect(json.problems).toEqual([])
    for (const name of reports) {
      const report = readFileSync(join(project.folder, 'artifacts', name), 'utf8')
      for (const mark of ['$TOKEN', '$KEY_FILE', '$SECRET', '$OAUTH_TOKEN']) {
        expect(report).toContain(mark)
      }
    }
    expect(json.witness).toMatch(/^artifacts\//)
    const left = readdirSync(project.folders, { recursive: true, withFileTypes: true })
    for (const { parentPath, name } of left.filter(one => one.isFile())) {
      mustTellNone(name, readFileSync(join(parentPath, name), 'utf8'))
    }
    expect(readdirSync(temporary)).toEqual([])
  })

  test('[spec.3.oauth-redaction] are on no screen', () => {
    given()
    for (const args of [['run', '--trace'], ['conform'], ['update']]) {
      expect(printed(args)).toContain('$TOKEN')
    }
    // A shell fills them in again.
    expect(printed(['run', 'c-http.spec.md'])).toContain('-H "X-Key: $SECRET" --data-binary "')
    for (const id of ['CHAIN', 'HTTP-STEPS', 'TOOL-RESULT', 'DOCS-PAGE']) {
      printed(['explain', id, '--run'])
      printed(['explain', id, '--run', '--json'])
    }
  })
})
