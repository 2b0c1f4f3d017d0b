import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { residentMegabytes } from './memory.mjs'
import { hasTool, median, premath, script, start, time } from './run.mjs'

const runs = 3
const jobs = String(availableParallelism())
/** Requests that are written down: half of them cases of their own, half in scenarios. */
const written = 500
const perScenario = 50
const repeats = 40
const sent = written * repeats

/**
 * Live requests to a server on this machine, as many at a time as there are processors: beside
 * `curl --parallel`, which checks nothing, beside hurl, and beside the bare client.
 */
export async function http(folder, progress) {
  const root = mkdtempSync(join(folder, 'http-'))
  const server = fork(script('http-server.mjs'))
  try {
    const [{ port }] = await once(server, 'message')
    // Messages that nobody takes would wait for the next listener.
    server.on('message', () => {})
    const origin = `http://127.0.0.1:${port}`
    const commands = commandsFor(root, origin, progress)
    return [...(await rates(commands)), ...(await memoryOver(commands.ours, server, progress))]
  } finally {
    server.disconnect()
  }
}

function commandsFor(root, origin, progress) {
  const urls = Array.from({ length: written }, (_, at) => `${origin}/items/${at}`)
  const project = join(root, 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  writeFileSync(join(project, 'http.spec.md'), documentOf(urls))
  const list = join(root, 'curl.config')
  const lines = urls.map(url => `url = "${url}"\noutput = "/dev/null"\n`)
  writeFileSync(list, lines.join('').repeat(repeats))
  const floor = [script('bare-http.mjs'), origin, String(sent), String(written), jobs]
  const ours = [premath, 'spec', 'run', '--jobs', jobs, '--repeat', String(repeats)]
  const parallel = ['--silent', '--parallel', '--parallel-max', jobs, '--config', list]
  return {
    ours: { args: ours, cwd: project },
    'the bare client': { args: floor },
    ...(hasTool('curl', 'a package of your system', progress) && {
      curl: { node: 'curl', args: parallel },
    }),
    ...(hasTool('hurl', 'cargo install hurl', progress) && {
      hurl: { node: 'hurl', args: hurlArgs(root, urls) },
    }),
  }
}

/** Each request is written once, and expects its status and its body. */
function documentOf(urls) {
  const [single, together] = [urls.slice(0, written / 2), urls.slice(written / 2)]
  const expected = url => [
    '- {target: status, must: [{contain: ["200"]}]}',
    `- {target: body_text, must: [{contain: ['${new URL(url).pathname}"']}]}`,
  ]
  const scenarios = chunks(together, perScenario)
  return [
    ...single.map((url, at) => [
      ...headOf(`ONE-${at}`),
      `request: {method: GET, url: '${url}'}`,
      'assert:',
      ...expected(url),
    ]),
    ...scenarios.map((some, at) => [
      ...headOf(`MANY-${at}`),
      'requests:',
      ...some.flatMap((url, step) => [
        `- {id: r${step}, method: GET, url: '${url}', assert: [`,
        ...expected(url).map(line => `    ${line.slice(2)},`),
        '  ]}',
      ]),
    ]),
  ]
    .map(lines => `\`\`\`yaml spec-test\n${lines.join('\n')}\n\`\`\`\n`)
    .join('\n')
}

const headOf = id => [`id: ${id}`, 'type: api.http', 'harness: {api_http: {mode: live}}']

const chunks = (all, size) =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )

/** The same requests in the same groups: a file is to hurl what a case is to us. */
function hurlArgs(root, urls) {
  const folder = join(root, 'hurl')
  mkdirSync(folder)
  const half = written / 2
  const groups = [...chunks(urls.slice(0, half), 1), ...chunks(urls.slice(half), perScenario)]
  const files = groups.map((some, at) => {
    const file = join(folder, `${at}.hurl`)
    const expected = url => `body contains "${new URL(url).pathname}\\""`
    writeFileSync(
      file,
      some.map(url => `GET ${url}\nHTTP 200\n[Asserts]\n${expected(url)}\n`).join('\n'),
    )
    return file
  })
  return ['--test', '--jobs', jobs, '--repeat', String(repeats), ...files]
}

/** Ratios of runs that came one after the other: what the machine does meanwhile meets all. */
async function rates(commands) {
  const spent = Object.fromEntries(Object.keys(commands).map(name => [name, []]))
  for (let run = 0; run < runs; run++) {
    for (const [name, { args, ...options }] of Object.entries(commands)) {
      spent[name].push(await time(args, [0], options))
    }
  }
  const rate = name => (sent * 1000) / median(spent[name])
  const figure = (name, most) => ({
    name: `http: ${sent.toLocaleString('en')} live requests, ${jobs} at a time, beside ${name}`,
    ours: rate('ours'),
    unit: 'requests/s',
    beside: { [name]: rate(name) },
    ratio: median(spent.ours.map((own, run) => own / spent[name][run])),
    most,
  })
  const limits = { 'the bare client': undefined, curl: 2, hurl: 1 }
  return Object.keys(commands)
    .filter(name => name !== 'ours')
    .map(name => figure(name, limits[name]))
}

/** The samples to compare: from request 2,000 to 5,000, and the last 3,000. */
const [early, late] = [[4, 10], [-6]]

/**
 * The heap grows until it was collected whole for the first time, which is about a tenth after
 * request 2,000. Two kilobytes that stay of each request would be more than a quarter.
 */
async function memoryOver({ args, ...options }, server, progress) {
  if (!existsSync('/proc/self/status')) {
    progress('http: memory is not measured, this system has no /proc')
    return []
  }
  const samples = []
  const child = start(args, options)
  server.on('message', () => samples.push(residentMegabytes(child.pid)))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the run ended with ${code}`)
  const [before, after] = [early, late].map(range => median(samples.slice(...range)))
  return [
    {
      name: `http: memory after ${sent.toLocaleString('en')} live requests`,
      ours: after,
      unit: 'MB resident',
      beside: { 'after 2,000': before },
      ratio: after / before,
      most: 1.25,
    },
  ]
}
