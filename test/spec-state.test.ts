/** The state of a run: variables, shared folders, and every place where a secret could appear. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'
import { everyOutcome } from './every-outcome.ts'

const project = aProject()

function given(documents: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(documents)) {
    const path = join(project.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

const says = (id: string, words: string, ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: cli.run',
    'harness: {entrypoint: [printf, "%s\\n"]}',
    `argv: [${words}]`,
    ...lines,
  )

const contains = (text: string) =>
  `assert: [{target: stdout, must: [{contain: [${JSON.stringify(text)}]}]}]`

describe('variables', () => {
  test('fill the texts of a case, and its expressions know them', () => {
    const same =
      'assert: [{target: stdout, must: [{evaluate: [{eq: [{trim: [{var: subject}]}, {get: [{var: vars}, name]}]}]}]}]'
    given({ 'a.spec.md': says('A', '"{{var.name}}"', same) })
    const { status } = project.asked(['spec', 'run', '--var', 'name=a = {{var.name}}'])
    expect(status).toBe(0)
    const failing = says('A', '"{{var.name}}"', contains('other'))
    given({ 'a.spec.md': failing })
    const { json } = project.asked(['spec', 'run', '--var', 'name='])
    expect(json.results[0].message).toContain('actual: "\\n"')
  })

  test('an unknown one is an error of the case, before its chain runs', () => {
    const chain = 'harness: {chain: {steps: [{id: s, ref: b.spec.md}]}, '
    given({
      'a.spec.md': says('A', '"{{var.nmae}} {{other}}"').replace('harness: {', chain),
      'b.spec.md': block('id: B', 'type: cli.run', 'harness: {entrypoint: [touch, started]}'),
    })
    const run = (...flags: readonly string[]) =>
      project.asked(['spec', 'run', 'a.spec.md', ...flags]).json.results[0]
    expect(run('--var', 'name=x')).toMatchObject({
      category: 'schema',
      message: '{{var.nmae}}: the run has no variable nmae',
      hint: 'Did you mean name?',
    })
    expect(run().hint).toBe(
      'Pass --var nmae=<value>, or --secret nmae to take it from the environment.',
    )
    expect(existsSync(join(project.folder, 'started'))).toBe(false)
  })

  test.each([
    [['--var', 'name'], '--var "name" has no value'],
    [['--var', '1=x'], '"1" is no name of a variable'],
    [['--var', 'a=1', '--var', 'a=2'], 'the variable a is given twice'],
    [['--secret', 'NO_SUCH'], '--secret NO_SUCH: the environment has no value for NO_SUCH'],
    [['--secret', 'PIN'], '--secret PIN: its value is shorter than 4 characters'],
  ])('%j is refused', (flags, message) => {
    given({ 'a.spec.md': says('A', 'x') })
    const env = { PIN: '123' }
    const { status, stderr } = project.premath(['spec', 'run', ...flags], { env })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) })
  })
})

describe('a secret', () => {
  const secret = `s3cr+t/é "q" & <x>'y`
  const env = { TOKEN: secret }
  const forms = [
    secret,
    secret.slice(0, 8),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').slice(0, 20),
    Buffer.from(`id:${secret}`).toString('base64').slice(5, 20),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').slice(0, 20),
  ]
  const mustNotTell = (text: string) => {
    for (const form of forms) expect(text).not.toContain(form)
  }

  const others = {
    url: encodeURIComponent(secret),
    basic: Buffer.from(`id:${secret}`).toString('base64'),
    json: JSON.stringify({ token: secret }),
  }
  const flags = ['--secret', 'TOKEN', ...Object.entries(others).flatMap(varOf)]
  const words = '"{{var.TOKEN}}", "{{var.url}}", "{{var.basic}}", "{{var.json}}"'
  // A cut in the middle of the value must not show half of it.
  const long = `"${'x'.repeat(190)}{{var.TOKEN}}{{var.TOKEN}}{{var.TOKEN}}"`
  const document = [
    says('CONTAIN', words, contains('absent')),
    says(
      'EQUAL',
      words,
      'assert: [{target: stdout, must: [{evaluate: [{eq: [{var: subject}, absent]}]}]}]',
    ),
    says('LONG', long, contains('absent')),
    says(
      'CONTEXT',
      words,
      'assert: [{target: context_json, must: [{evaluate: [{eq: [{var: subject}, 1]}]}]}]',
    ),
    says(
      'CHAIN',
      words,
      'assert: [{target: chain_json, must: [{evaluate: [{eq: [{var: subject}, {var: vars}]}]}]}]',
    ),
    says('EXIT', words, 'exit_code: 3'),
    block(
      'id: HOOK',
      'type: cli.run',
      `harness: {entrypoint: "true", hook_before: "sh -c 'printf %s \\"$TOKEN\\" >&2; exit 1'"}`,
    ),
    block('id: MISSING', 'type: cli.run', 'harness: {entrypoint: ["/no/{{var.TOKEN}}"]}'),
    block('id: FILE', 'type: text.file', 'path: "/no/{{var.TOKEN}}.txt"'),
  ].join('')

  test('is shown on no screen', () => {
    given({ 'a.spec.md': document })
    for (const more of [[], ['--trace'], ['--json'], ['--json', '--trace', '--profile']]) {
      const { status, stdout, stderr } = project.premath(['spec', 'run', ...flags, ...more], {
        env,
      })
      expect(status).toBe(1)
      mustNotTell(stdout)
      mustNotTell(stderr)
      expect(stdout).toContain('$TOKEN')
    }
    for (const args of [
      ['conform', ...flags],
      ['conform', '--json', ...flags],
      ['explain', 'CONTAIN', '--run', ...flags],
      ['explain', 'CONTEXT', '--run', '--json', ...flags],
      ['update', ...flags],
      ['update', '--yes', '--json', ...flags],
    ]) {
      const { stdout, stderr } = project.premath(['spec', ...args], { env })
      mustNotTell(stdout)
      mustNotTell(stderr)
    }
    mustNotTell(readFileSync(join(project.folder, 'a.spec.md'), 'utf8'))
  })

  test.each(['pretty', 'json', 'junit', 'tap', 'ctrf', 'html', 'github'])(
    'is shown in no %s report',
    name => {
      given({ 'a.spec.md': document })
      const args = ['spec', 'run', ...flags, '--trace']
      const setup = { env: { ...env, GITHUB_ACTIONS: 'true' } }
      const printed = project.premath([...args, '--report', name], setup)
      const written = project.premath([...args, '--report', `${name}=out/report`], setup)
      const report = readFileSync(join(project.folder, 'out/report'), 'utf8')
      for (const text of [printed.stdout, printed.stderr, written.stdout, report]) mustNotTell(text)
      expect(report).toContain('$TOKEN')
    },
  )

  test('is told as no key and as no number', () => {
    const named = { WORD: 'hunter2', PIN: '0087654321' }
    const json = `'{"{{var.WORD}}": 87654321, "n": [87654321.0, {"{{var.WORD}}": "{{var.PIN}}"}]}'`
    given({
      'a.spec.md':
        says(
          'JSON',
          json,
          'assert: [{target: stdout_json, must: [{evaluate: [{eq: [{var: subject}, 1]}]}]}]',
        ) + says('TEXT', json, 'assert: [{target: stdout, must: [{equal: x}]}]'),
    })
    const secrets = ['--secret', 'WORD', '--secret', 'PIN']
    const told = (...args: readonly string[]) => {
      const { stdout, stderr } = project.premath(['spec', ...args, ...secrets], { env: named })
      return stdout + stderr
    }
    const texts = [
      told('run', '--trace'),
      told('run', '--trace', '--json'),
      told('explain', 'JSON', '--run', '--json'),
      told('explain', 'TEXT', '--run'),
      ...['junit', 'tap', 'ctrf', 'html', 'github'].map(name => told('run', '--report', name)),
    ]
    for (const text of texts) {
      expect(text).not.toMatch(/hunter2|87654321/)
      expect(text).toContain('$WORD')
      expect(text).toContain('$PIN')
    }
  })

  test('stands in no file of the project', () => {
    mkdirSync(join(project.folder, '.premath'))
    given({ 'a.spec.md': document })
    project.premath(['spec', 'run', ...flags], { env })
    const files = readdirSync(project.folder, { recursive: true, withFileTypes: true })
    const written = files.filter(one => one.isFile())
    expect(written.length).toBeGreaterThan(1)
    for (const { parentPath, name } of written) {
      mustNotTell(readFileSync(join(parentPath, name), 'utf8'))
    }
  })

  test('is hidden even where a document tells it', () => {
    const title = `title: ${JSON.stringify(`with ${secret}`)}`
    given({ 'a.spec.md': says('A', '"{{var.TOKEN}}"', title, contains(`not ${secret}`)) })
    for (const name of ['pretty', 'json', 'junit', 'tap', 'ctrf', 'html', 'github']) {
      const args = ['spec', 'run', '--secret', 'TOKEN']
      const { stdout } = project.premath([...args, '--report', name], { env })
      mustNotTell(stdout)
      project.premath([...args, '--report', `${name}=out/report`], { env })
      mustNotTell(readFileSync(join(project.folder, 'out/report'), 'utf8'))
    }
    const flags = ['--secret', 'TOKEN', `${secret}.spec.md`]
    for (const more of [[], ['--json']]) {
      const { status, stdout, stderr } = project.premath(['spec', 'run', ...flags, ...more], {
        env,
      })
      expect(status).toBe(2)
      mustNotTell(stdout + stderr)
      expect(stdout + stderr).toContain('$TOKEN.spec.md')
    }
  })

  test('reaches the command as it is', () => {
    given({ 'a.spec.md': says('A', '"{{var.TOKEN}}"', contains(secret)) })
    expect(project.asked(['spec', 'run', '--secret', 'TOKEN'], { env }).status).toBe(0)
  })
})

describe('a shared folder', () => {
  const temporary = (id: string, script: string, more = '') =>
    block(
      `id: ${id}`,
      'type: cli.run',
      `harness: {entrypoint: [sh, -c, ${JSON.stringify(script)}], cwd: temp${more}}`,
    )
  const chain = ', chain: {share_folder: true, steps: [{id: s, ref: "#FIRST"}]}'

  test('keeps the files of a step for the case, and is gone afterwards', () => {
    const keep = `pwd > ${JSON.stringify(join(project.folder, 'place'))}`
    given({
      'a.spec.md':
        temporary('FIRST', 'echo made > note') + temporary('NEXT', `cat note && ${keep}`, chain),
    })
    expect(project.asked(['spec', 'run', '--jobs', '2']).status).toBe(0)
    const place = readFileSync(join(project.folder, 'place'), 'utf8').trim()
    expect(place).toMatch(/^\//)
    expect(existsSync(place)).toBe(false)
  })

  test('is not left by setup files through a link of an earlier case', () => {
    const files = ', setup_files: [{path: out/file, text: x}]'
    given({
      'a.spec.md':
        temporary('FIRST', `ln -s ${JSON.stringify(project.folder)} out`) +
        temporary('NEXT', 'true', chain + files),
    })
    const { json } = project.asked(['spec', 'run', '--filter', 'NEXT'])
    expect(json.results[0]).toMatchObject({
      category: 'runtime',
      message: 'harness.setup_files[0].path leaves the temporary folder through a link: out/file',
    })
    expect(existsSync(join(project.folder, 'file'))).toBe(false)
  })
})

describe('the number of parallel cases', () => {
  const formats = ['pretty', 'json', 'junit', 'tap', 'ctrf', 'html', 'github']
  const untimed = (text: string) =>
    text
      .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?|[\d.]+ m?s\b/g, 'T')
      .replace(/(time="|(?:duration|waited)(?:_ms|Ms)?"?: ?|"(?:start|stop)": )[\d.e-]+/g, '$1T')

  /** A case that takes longer the earlier it stands, so that several at once end in another order. */
  const busy = (at: number, ...lines: readonly string[]) => {
    const counts = `i=0; while [ $i -lt ${(12 - at) * 2000} ]; do i=$((i + 1)); done`
    const script = `${counts}; echo ${at} >> seen; cat seen`
    const [harness = '', ...others] = lines
    return block(
      `id: CASE-${at}`,
      'type: cli.run',
      `harness: {entrypoint: [sh, -c, ${JSON.stringify(script)}], cwd: temp${harness}}`,
      ...others,
    )
  }
  const chained = (to: number, isShared: boolean) =>
    `, chain: {share_folder: ${isShared}, steps: [{id: s, ref: "#CASE-${to}", exports: {out: {from_target: stdout}}}]}`
  const prints = (...lines: readonly number[]) =>
    `assert: [{target: stdout, must: [{equal: ${JSON.stringify(`${lines.join('\n')}\n`)}}]}]`

  test('shows neither in a report nor in the witness', () => {
    mkdirSync(join(project.folder, '.premath'))
    given({
      'a.spec.md':
        busy(0, '', prints(0)) +
        busy(1, chained(0, true), prints(0, 1)) +
        busy(2, chained(1, true), prints(0, 1, 2)) +
        busy(3, chained(0, false), prints(3)) +
        busy(4, chained(5, false), prints(4)) +
        busy(5, '', prints(0)),
      'b.spec.md':
        busy(6, '', 'requires: {capabilities: [wings], when_missing: skip}') +
        busy(7, '', 'exit_code: 3') +
        busy(8, ', timeout_ms: 0') +
        busy(9, '', 'argv: ["{{var.unknown}}"]') +
        busy(10, '', 'concurrency: one', prints(10)) +
        busy(11, '', 'concurrency: one', prints(11)),
    })
    const [one, ...others] = [1, 2, 8].map(jobs => ranWith(jobs))
    expect(one?.verdicts.map((verdict: string) => verdict.split(' ')[1]).join(' ')).toBe(
      'pass pass pass pass fail fail skip fail fail fail pass pass',
    )
    for (const other of others) expect(other).toEqual(one)
  })

  test('shows neither for every type of case and every kind of outcome', () => {
    mkdirSync(join(project.folder, '.premath'))
    given(everyOutcome)
    const [one, ...others] = [1, 2, 8].map(jobs => {
      // The case FLAKY fails if this folder is missing.
      rmSync(join(project.folder, 'artifacts/once'), { recursive: true, force: true })
      return ranWith(jobs, '--retry', '1')
    })
    expect(one?.verdicts).toHaveLength(32)
    expect(one?.verdicts).toEqual(
      expect.arrayContaining(['FLAKY pass', 'TIMEOUT fail', 'HTTP-SCENARIO fail', 'SKIP skip']),
    )
    for (const other of others) expect(other).toEqual(one)
  })

  /** Everything a run says and writes, without times and without ports that a service chose. */
  function ranWith(jobs: number, ...more: readonly string[]) {
    const places = formats.map(name => ['--report', `${name}=artifacts/${name}`])
    const flags = ['--jobs', String(jobs), ...places.flat(), ...more]
    const { status, json } = project.asked(['spec', 'run', ...flags])
    const { results, witness, ...counts } = json
    const inArtifacts = (name: string) =>
      readFileSync(join(project.folder, 'artifacts', name), 'utf8')
    return {
      status,
      verdicts: results.map(
        (case_: { id: string; status: string }) => `${case_.id} ${case_.status}`,
      ),
      counts: untimed(JSON.stringify(counts)),
      witness,
      reports: formats.map(name =>
        untimed(inArtifacts(name)).replace(/(on port |127\.0\.0\.1:)\d+/g, '$1P'),
      ),
      proof: readFileSync(join(project.folder, witness), 'utf8'),
    }
  }
})

const varOf = ([name, value]: readonly [string, string]) => ['--var', `${name}=${value}`]
