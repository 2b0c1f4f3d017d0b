/** Console blocks, from `premath spec list` to `premath spec update`, with a real shell. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()

function given(name: string, ...lines: readonly string[]) {
  const path = join(project.folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join('\n')}\n`)
}

const textOf = (name: string) => readFileSync(join(project.folder, name), 'utf8')

function asked(...args: readonly string[]) {
  const { status, stdout } = project.premath([...args, '--json'])
  return { status, json: JSON.parse(stdout) }
}

const runs = (...args: readonly string[]) => {
  const { status, json } = asked('spec', 'run', '--no-witness', ...args)
  const verdicts = json.results.map((one: { id: string; file: string; status: string }) =>
    [one.file, one.id, one.status].join(' '),
  )
  return { status, verdicts, json }
}

describe('console blocks', () => {
  test('run, keep the state of their shell, and report the line of a failure', () => {
    given(
      'a.spec.md',
      ...['# State', '```console', '$ cd /; x=1', '$ echo "$PWD $x"', '/ 1'],
      ...['$ echo out; echo err >&2; exit 3', 'out', 'err', '[exit 3]', '```'],
      ...['# Input', '```console', '$ cat', '$ wc -c | tr -d " "', '0', '```'],
      ...['# Left behind', '```console', '$ sleep 1000 &', '$ echo now', 'now', '```'],
      ...['# Markers', '```console', '$ echo 12 ms; echo a.txt; seq 9; printf end'],
      ...['[0-9]+ ms (re)', '*.txt (glob)', '(any)', '2', '(any*)', '9', 'end (no-eol)', '```'],
      ...['# Wrong', '```console', '$ true', '$ echo a', 'b', '```'],
    )
    const { status, verdicts, json } = runs()
    expect([status, verdicts]).toEqual([
      1,
      [
        'a.spec.md state pass',
        'a.spec.md input pass',
        'a.spec.md left-behind pass',
        'a.spec.md markers pass',
        'a.spec.md wrong fail',
      ],
    ])
    expect(json.results.at(-1)).toMatchObject({ line: 36, at: { line: 37, column: 1 } })
    expect(JSON.stringify(json)).not.toMatch(/[0-9a-f]{16}/)
  })

  test('do not run in a document that nobody named, nor if they say so', () => {
    given('README.md', '# A', '```console', '$ touch ran-by-accident', '```')
    given('a.spec.md', '```console no-test', '$ touch ran-by-accident', '```')
    expect(runs('.').verdicts).toEqual([])
    expect(runs('README.md').verdicts).toEqual(['README.md a pass'])
  })

  test('may have the same heading in two documents, which then name the case', () => {
    given('a.spec.md', '# Usage', '```console', '$ echo a', 'a', '```')
    given('b.spec.md', '# Usage', '```console', '$ echo b', 'b', '```')
    expect(runs().verdicts).toEqual(['a.spec.md usage pass', 'b.spec.md usage pass'])
    expect(asked('spec', 'explain', 'usage').json.error.message).toContain('several cases')
    expect(asked('spec', 'explain', 'b.spec.md#usage').json).toMatchObject({ file: 'b.spec.md' })
  })

  test('take values from a chain, and give theirs', () => {
    const chain = (ref: string) =>
      `chain: {steps: [{id: s, ref: "${ref}", exports: {x: {from_target: "output[1]"}}}]}`
    given(
      'a.spec.md',
      ...['# Made', '```console', '$ n=7', '$ printf $n', '7 (no-eol)', '```'],
      ...['# Used', `\`\`\`console {harness: {${chain('#made')}}}`],
      ...['$ echo {{chain.s.x}} {{other}}', '7 {{other}}', '```'],
      ...['```yaml spec-test', 'id: YAML', 'type: cli.run', 'argv: ["{{chain.s.x}}"]'],
      ...[`harness: {entrypoint: echo, ${chain('#made')}}`],
      ...['assert: [{target: stdout, must: [{equal: ["7\\n"]}]}]', '```'],
    )
    expect(runs().verdicts).toEqual([
      ...['a.spec.md made pass', 'a.spec.md used pass', 'a.spec.md YAML pass'],
    ])
  })

  test('are listed, linted and left alone by the formatter', () => {
    given(
      'a.spec.md',
      ...['# A', '```console', '$ echo a   ', 'a', '```'],
      ...['# B', '```console {id: B, tags: [t], harness: {cwd: tmp}}', '$ echo ("a', '```'],
      ...['# C', '```console', '$ echo a', '[a (re)', '```'],
      ...['# D', '```console', 'text', '$ echo a', '```'],
    )
    const { json } = asked('spec', 'list')
    expect(json.cases).toMatchObject([
      { id: 'a', title: 'A', type: 'cli.run', line: 3 },
      { id: 'B', title: 'B', tags: ['t'], line: 8 },
      { id: 'c', title: 'C', line: 12 },
    ])
    const { status, stdout } = project.premath(['spec', 'lint'])
    expect(status).toBe(2)
    expect(stdout).toContain('a.spec.md:7:46')
    expect(stdout).toContain('harness.cwd must be one of root, temp')
    expect(stdout).toContain('a.spec.md:12:1')
    expect(stdout).toContain('a.spec.md:17:1')
    const before = textOf('a.spec.md')
    project.premath(['spec', 'format'])
    expect(textOf('a.spec.md')).toBe(before)
  })
})

describe('spec create --console', () => {
  const create = (...args: readonly string[]) =>
    project.premath(['spec', 'create', '--console', ...args])

  test('prints a block that passes, with the whole output and the exit code', () => {
    const script = "echo 1; echo 2 >&2; date +%s%N; printf '$ x\\n'; exit 3"
    const { status, stdout } = create('--', 'sh', '-c', script)
    expect(status).toBe(0)
    const lines = stdout.split('\n')
    expect(lines.filter((_, at) => at !== 4)).toEqual([
      ...['```console {id: "sh-echo-1-echo-2-2-date-s-N-printf-x-n-e"}', `$ ${script}`, '1', '2'],
      ...['\\$ x (glob)', '[exit 3]', '```', ''],
    ])
    expect(lines[4]).toMatch(/^\d+N? \(any\)$/)
  })

  test('masks times, durations, addresses and folders', () => {
    const script = 'pwd; date; echo took $(date +%N | cut -c 1-6) ms; echo same'
    const into = ['--into', 'a.spec.md', '--id', 'masked']
    const { status, stderr } = create(...into, '--', 'sh', '-c', script)
    expect([status, stderr]).toEqual([0, 'masked: root, times, durations\n'])
    expect(textOf('a.spec.md').split('\n').slice(4)).toEqual([
      ...['```console {harness: {masks: [root, times, durations]}}', `$ ${script}`],
      ...['<root>', '<time>', 'took <duration>', 'same', '```', ''],
    ])
    expect(runs().verdicts).toEqual(['a.spec.md masked pass'])
  })

  test('masks a time that both runs share', () => {
    const { stdout } = create('--', 'echo', 'on 2026-11-17 at 10:00')
    expect(stdout).toBe(
      "```console {harness: {masks: [times]}}\n$ echo 'on 2026-11-17 at 10:00'\non <time> at 10:00\n```\n",
    )
  })

  test('adds a block under a heading, with variables and input', () => {
    writeFileSync(join(project.folder, 'in.txt'), "b\nit's\n")
    const into = ['--into', 'a.spec.md', '--stdin', 'in.txt', '--env', 'LC_ALL=C']
    expect(create('--id', 'sorted', ...into, '--', 'sort', '-t', ' ', '-u').status).toBe(0)
    expect(textOf('a.spec.md').split('\n').slice(2)).toEqual([
      ...['## sorted', '', '```console', "$ LC_ALL=C sort -t ' ' -u <<'EOF'"],
      ...['> b', "> it's", '> EOF', 'b', "it's", '```', ''],
    ])
    expect(runs().verdicts).toEqual(['a.spec.md sorted pass'])
  })
})

describe('spec update', () => {
  test('writes new output and exit codes into the block, and nothing else', () => {
    given(
      'a.spec.md',
      ...['# A', '', '- In a list:', '', '  ```console'],
      ...['  $ echo one; echo "12 ms"; echo new', '  old', '  [0-9]+ ms (re)'],
      ...['  $ true', '  gone', '  [exit 1]', '', '  $ sh -c "exit 4"', '  $ printf open'],
      ...["  $ printf '> a\\n$ b\\n[exit 2]\\nc (re)\\nd\\r\\n'", '  ```', '', 'Text.'],
    )
    const { status, stdout } = project.premath(['spec', 'update'])
    expect(status).toBe(1)
    expect(stdout).toContain('-  gone')
    expect(project.premath(['spec', 'update', '--yes'])).toMatchObject({ status: 0 })
    expect(textOf('a.spec.md').split('\n').slice(5, -4)).toEqual([
      ...['  $ echo one; echo "12 ms"; echo new', '  one', '  [0-9]+ ms (re)', '  new'],
      ...['  $ true', '  $ sh -c "exit 4"', '  [exit 4]', '  $ printf open', '  open (no-eol)'],
      ...["  $ printf '> a\\n$ b\\n[exit 2]\\nc (re)\\nd\\r\\n'"],
      ...['  \\> a (glob)', '  \\$ b (glob)', '  \\[exit 2] (glob)', '  c \\(re\\) (re)'],
      ...['  d\\x0d (re)'],
    ])
    expect(runs().status).toBe(0)
  })
})
