/**
 * The documents are true: every `sh` block of README.md and docs/ runs here, page by page, each page
 * in a folder of its own. `npm run generate` rewrites the `output` blocks from the same run.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { findCommand, flagOf, globalFlags } from '../src/cli/flags.ts'
import { operations } from '../src/operations/index.ts'
import { main } from './built-command.ts'

const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.md'))
  .map(path => join('docs', path))
const pages = ['README.md', ...documents.toSorted()].map(path => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

interface Block {
  /** `sh` runs, `output` is what the block before it prints, the others are only shown. */
  readonly info: string
  readonly text: string
}

const fence = /^(`{3,})([^\n`]*)\n([\s\S]*?)^\1$/gm

const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(fence)].map(([, , info = '', text = '']) => ({ info, text }))

/** `# exits 1` after a command states its exit code; every other command must exit 0. */
const script = (block: string) =>
  block.replace(
    /^(.*\S) +# exits (\d)$/gm,
    '{ code=0; $1 || code=$?; [ $code = $2 ] || { echo "exit code $code, not $2"; exit 99; }; }',
  )

const separator = '\u001e'

/**
 * Values that differ in each run, replaced by examples of the same form. A commit has the same
 * example on the whole page, so that a reader can follow it.
 */
const stable = (output: string, folder: string, commits: string[]) =>
  output
    .replaceAll(folder, '/home/you')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-02-21T10:00:00Z')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, '2026-02-21 10:00')
    .replace(/\b\d\d:\d\d:\d\d\b/g, '10:00:00')
    // Where there is no bubblewrap, each run says so.
    .replace(/^.*\bnot sandboxed: .*\n/gm, '')
    .replace(/\b\d+ ms\b/g, '20 ms')
    .replace(/\b(?:\d+ min )?\d+(?:\.\d+)? s\b/g, '0.2 s')
    // A column is as wide as its longest duration.
    .replace(/^(time .* took) +/gm, '$1   ')
    .replace(/(?<=^2026-02-21T.* )0\.2 s +/gm, '0.2 s  ')
    .replace(/(?<=\b|_)[0-9a-f]{12,64}\b/g, hex =>
      hex.length === 40 ? hex : '7c2f9e01d4ab'.repeat(6).slice(0, hex.length),
    )
    .replace(/(?<=^ *|\b(?:as|by) )[0-9a-f]{7,9}\b|\b[0-9a-f]{40}\b/gm, id =>
      exampleCommit(id, commits),
    )

/** A made-up commit id for each commit of a page, in order of appearance. */
function exampleCommit(id: string, commits: string[]): string {
  const short = id.slice(0, 7)
  if (!commits.includes(short)) commits.push(short)
  const example = createHash('sha256')
    .update(`commit ${commits.indexOf(short)}`)
    .digest('hex')
  return example.slice(0, id.length)
}

/** A folder with a home, a git identity, and `premath` on the PATH as an installation puts it. */
function aDesk({ onTestFinished }: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'premath-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const project = join(folder, 'project')
  const bin = join(folder, 'bin')
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  mkdirSync(bin)
  symlinkSync(resolve('.'), join(project, 'node_modules/premath'))
  const launcher = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`
  writeFileSync(join(bin, 'premath'), launcher, { mode: 0o755 })
  const identity = '[user]\nname = You\nemail = you@example.com\n[init]\ndefaultBranch = main\n'
  writeFileSync(join(folder, '.gitconfig'), `${identity}[core]\nexcludesFile = ${folder}/.ignore\n`)
  writeFileSync(join(folder, '.ignore'), 'node_modules\n')
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(PREMATH_|GIT_|SPEC_RUNNER_|XDG_|GITHUB_)/.test(name),
  )
  const env = {
    ...Object.fromEntries(own),
    HOME: folder,
    PATH: `${bin}:${process.env['PATH']}`,
    TZ: 'UTC',
  }
  return { folder, project, env }
}

async function runAll(blocks: readonly string[], desk: ReturnType<typeof aDesk>) {
  const parts = blocks.map(block => `printf '${separator}'\n${script(block)}`)
  const shell = spawn('sh', ['-e', '-c', `exec 2>&1 </dev/null\n${parts.join('\n')}`], {
    cwd: desk.project,
    env: desk.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  shell.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  const status = await new Promise<number | null>(settle => shell.on('close', settle))
  return { status, outputs: output.split(separator).slice(1) }
}

/** The page with each `output` block as this run printed it. */
function withOutputs(page: string, outputs: readonly string[]): string {
  let at = -1
  return page.replace(fence, (block, _, info: string) => {
    if (info === 'sh') at += 1
    return info === 'output' ? `\`\`\`output\n${(outputs[at] ?? '').trimEnd()}\n\`\`\`` : block
  })
}

describe.concurrent('the commands of a page work when pasted:', () => {
  const runnable = pages.filter(({ text }) => blocksOf(text).some(({ info }) => info === 'sh'))
  test.for(runnable)('$path', async ({ path, text }, context) => {
    const desk = aDesk(context)
    const blocks = blocksOf(text).filter(({ info }) => info === 'sh')
    const { status, outputs } = await runAll(
      blocks.map(block => block.text),
      desk,
    )
    context
      .expect({ status, last: status === 0 ? '' : outputs.at(-1) }, `block ${outputs.length}`)
      .toEqual({ status: 0, last: '' })
    const commits: string[] = []
    const shown = outputs.map(output => stable(output, desk.folder, commits))
    await context.expect(withOutputs(text, shown)).toMatchFileSnapshot(resolve(path))
  })
})

test('every block names its language, and few commands are not run', () => {
  const blocks = pages.flatMap(({ path, text }) =>
    blocksOf(text).map(({ info, text: block }) => ({ path, info, first: block.split('\n')[0] })),
  )
  const kinds = new Set(['sh', 'output', 'text', 'json', 'yaml', 'sh norun'])
  expect(blocks.filter(({ info }) => !kinds.has(info))).toEqual([])
  const shown = blocks.filter(({ info }) => info === 'sh norun')
  expect(shown.map(({ path, first }) => `${path}: ${first}`)).toEqual(notRun)
})

/** They install or remove packages, need an agent, serve until they are stopped, or run this very test. */
const notRun = [
  'README.md: npm ci && npm pack',
  'README.md: npm ci && npm run demo',
  'README.md: npm ci && npm test',
  'docs/first-hour.md: npm ci && npm pack',
  'docs/how-to/observe-a-project.md: premath observe-serve',
  'docs/how-to/observe-a-project.md: (umask 077 && openssl rand -hex 32 > ~/.premath-token)',
  "docs/how-to/run-an-agent.md: premath harness-step --terminal --work-cmd claude --verify-cmd 'npm test'",
  'docs/how-to/use-over-mcp.md: premath mcp-serve --http 127.0.0.1:8765 --token-file ~/.premath-token',
  'docs/uninstall.md: npm uninstall -g premath',
]

const commands = allCommands(operations)

test.each(pages)('$path names only commands and flags that exist', async ({ text }) => {
  const inline = [...text.replace(fence, '').matchAll(/`premath ([^`]+)`/g)]
  for (const [, line = ''] of inline) {
    const words = line.replace(/ -- .*/, '').split(/\s+/)
    // The first word of several commands, such as `premath issue`, stands for all of them.
    if (Object.keys(commands).some(one => one.startsWith(`${words.join(' ')} `))) continue
    const { command: name, args } = findCommand(words, Object.keys(commands))
    const input = Object.keys((await commands[name]?.())?.input ?? {})
    const known = [...input.map(flagOf), ...Object.keys(globalFlags)].map(flag => `--${flag}`)
    const flags = args.filter(word => /^--\w/.test(word))
    expect({ line, unknown: flags.filter(flag => !known.includes(flag)) }).toEqual({
      line,
      unknown: [],
    })
  }
})

test.each(pages)('$path links to files that exist', ({ path, text }) => {
  const targets = [...text.replace(fence, '').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^https?:/.test(target))
  expect(targets.filter(target => !existsSync(join(dirname(path), target)))).toEqual([])
})

test('ARCHITECTURE.md names only files and folders that exist', () => {
  const rooms = readdirSync('src').filter(name => !name.includes('.'))
  const named = readFileSync('ARCHITECTURE.md', 'utf8').match(
    new RegExp(`\\b(?:${rooms.join('|')})/[\\w/.-]*[\\w/](?![\\w<])`, 'g'),
  )
  expect(named?.length).toBeGreaterThan(20)
  expect(named?.filter(path => !existsSync(join('src', path)))).toEqual([])
})

test('CONTEXT.md has at most 40 terms', () => {
  const terms = readFileSync('CONTEXT.md', 'utf8').match(/^- \*\*/gm) ?? []
  expect(terms.length).toBeGreaterThan(0)
  expect(terms.length).toBeLessThanOrEqual(40)
})
