/** The house plan. Each room lists what it may import; changing a line is a design change. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

interface Room {
  /** Rooms of ours it may import from, besides itself and what is open to all. */
  readonly rooms: readonly string[]
  /** Packages it may import. `node:` allows every built-in module, a full name allows one. */
  readonly packages: readonly string[]
}

/** Plain declarations at the top of `src`, open to every room. */
const open = ['answer.ts', 'fault.ts', 'field.ts']

const core = ['wire', 'kernel', 'world']

const plan: Readonly<Record<string, Room>> = {
  'answer.ts': { rooms: [], packages: [] },
  'fault.ts': { rooms: [], packages: [] },
  'field.ts': { rooms: [], packages: [] },
  'index.ts': { rooms: ['kernel', 'operations', 'project', 'wire', 'world'], packages: [] },
  wire: { rooms: [], packages: [] },
  // The packages are functions from text to values: no input, no output, no clock.
  kernel: {
    rooms: ['wire'],
    packages: ['jsonc-parser', 'markdown-it', 'picomatch', 'smol-toml', 'yaml'],
  },
  world: {
    rooms: [],
    packages: ['node:', '@hono/node-server', 'chokidar', 'fs-native-extensions', 'undici'],
  },
  store: { rooms: core, packages: [] },
  harness: { rooms: [...core, 'store'], packages: [] },
  runner: { rooms: core, packages: ['re2js', 'tinyglobby', 'node:worker_threads'] },
  project: { rooms: [...core, 'store', 'harness', 'runner'], packages: ['ajv', 're2js'] },
  render: {
    rooms: [...core, 'store', 'harness', 'runner', 'project'],
    packages: ['cli-table3'],
  },
  input: { rooms: [...core, 'store', 'harness', 'runner', 'project'], packages: [] },
  web: { rooms: [...core, 'project', 'render'], packages: ['hono'] },
  resident: { rooms: [...core, 'project'], packages: [] },
  operations: {
    rooms: [
      ...core,
      'store',
      'harness',
      'runner',
      'project',
      'render',
      'input',
      'mcp',
      'resident',
      'web',
    ],
    packages: [],
  },
  // Messages and transports. It is given the tools, and knows no operation.
  mcp: {
    rooms: ['wire', 'kernel'],
    packages: ['node:', '@hono/node-server', '@modelcontextprotocol/server'],
  },
  cli: {
    rooms: ['operations', 'render', 'project', 'kernel', 'wire', 'world'],
    packages: ['node:', '@bomb.sh/tab'],
  },
  testing: {
    rooms: [...core, 'store', 'harness', 'runner', 'project'],
    packages: ['node:', 'vitest'],
  },
}

/** Registries and public entries, the only files that may be called `index.ts`. */
const indexFiles = [
  'index.ts',
  'kernel/index.ts',
  'kernel/turn/rules/index.ts',
  'operations/index.ts',
  'runner/cases/index.ts',
  'wire/index.ts',
]

/** Verbs live in the folder of their group, and nothing else does. */
const verbGroups = [
  'checks',
  'config',
  'dep',
  'everyday',
  'harness',
  'instruction',
  'issue',
  'observe',
  'mcp',
  'policy',
  'project',
  'required',
  'resident',
  'spec',
  'transport',
  'trust',
  'witness',
]

const filesPerFolderMax = 40

const roomOf = (path: string) => path.split('/')[0] ?? ''

const packageOf = (target: string) =>
  target.startsWith('node:')
    ? 'node:'
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/')

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(path =>
  path.endsWith('.ts'),
)

const sources = files
  .filter(path => !/\.(test|contract)\.ts$/.test(path))
  .map(path => ({ path, text: readFileSync(join('src', path), 'utf8') }))

/** The targets of `from '…'`, `import '…'` and `import('…')`. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'([^'\s]+)'/g)].map(
    ([, target = '']) => target,
  )
}

function mayImport(path: string, target: string): boolean {
  const room = roomOf(path)
  const { rooms, packages } = plan[room] ?? { rooms: [], packages: [] }
  if (!target.startsWith('.')) {
    return packages.includes(packageOf(target)) || packages.includes(target)
  }
  const other = roomOf(normalize(join(dirname(path), target)))
  return other === room || open.includes(other) || rooms.includes(other)
}

test('every file lies in a room of the plan', () => {
  const homeless = sources.map(({ path }) => path).filter(path => !(roomOf(path) in plan))
  expect(homeless).toEqual([])
})

test('a file imports only what its room may', () => {
  const refused = sources.flatMap(({ path, text }) =>
    importsOf(text)
      .filter(target => !mayImport(path, target))
      .map(target => `${path} imports ${target}`),
  )
  expect(refused).toEqual([])
})

/** Opening a project chooses the file backend; these commands work on its files. */
const importersOfFileBackend = [
  'operations/issue/replay-events.ts',
  'operations/project/merge-driver.ts',
  'project/doctor/events.ts',
  'project/doctor/examine.ts',
  'project/doctor/forward.ts',
  'project/doctor/git.ts',
  'project/doctor/places.ts',
  'project/harness-files.ts',
  'project/issues/forward-place.ts',
  'project/issues/row-history.ts',
  'project/issues/unmerged.ts',
  'project/open-issues.ts',
  'project/open-witnesses.ts',
  'project/safe-output.ts',
]

test('issue memory is a port: only its opening and commands on its files know the file backend', () => {
  const importers = sources.filter(
    ({ path, text }) =>
      !path.startsWith('store/file/') &&
      importsOf(text).some(target =>
        normalize(join(dirname(path), target)).startsWith('store/file/'),
      ),
  )
  expect(importers.map(({ path }) => path).toSorted()).toEqual(importersOfFileBackend)
})

test('the kernel takes time and chance as arguments', () => {
  const impure = sources.filter(
    ({ path, text }) =>
      roomOf(path) === 'kernel' &&
      /Date\.now|new Date\(\)|Math\.random|performance\.now/.test(text),
  )
  expect(impure.map(({ path }) => path)).toEqual([])
})

/** Files that may use the process directly: arguments, exit and loader. */
const beforeTheWorld = ['cli/main.ts', 'cli/start.ts']

test('only the world and the entry of the command touch the process', () => {
  const reaching = sources.filter(
    ({ path, text }) =>
      !['world', 'testing'].includes(roomOf(path)) &&
      !beforeTheWorld.includes(path) &&
      /\bprocess\.\w/.test(text),
  )
  expect(reaching.map(({ path }) => path)).toEqual([])
})

/** Readers of the project's documents, which run once per command. Their types are open to all. */
const projectReaders = [
  'project/config.ts',
  'project/policy.ts',
  'project/registry.ts',
  'project/root.ts',
]

test('only the opening of the project reads root, policy, registry and configuration', () => {
  const readers = sources.filter(({ path, text }) =>
    importsOf(text.replace(/import type [^']*'[^']*'/g, '')).some(target =>
      projectReaders.includes(normalize(join(dirname(path), target))),
    ),
  )
  expect(readers.map(({ path }) => path)).toEqual(['project/open.ts'])
})

test('a file in the folder of a verb group exports an operation', () => {
  const others = sources.filter(({ path, text }) => {
    const [room, group, name] = path.split('/')
    if (room !== 'operations' || name === undefined) return false
    return !verbGroups.includes(group ?? '') || !/^export const \w+ = operation\(/m.test(text)
  })
  expect(others.map(({ path }) => path)).toEqual([])
})

test(`no folder has more than ${filesPerFolderMax} files`, () => {
  const counts = new Map<string, number>()
  for (const path of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > filesPerFolderMax)).toEqual([])
})

test('a file does more than re-export', () => {
  const hollow = sources.filter(
    ({ path, text }) =>
      !indexFiles.includes(path) &&
      text
        .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
        .replace(/export (type )?\{[^}]*\} from '[^']*'/g, '')
        .trim() === '',
  )
  expect(hollow.map(({ path }) => path)).toEqual([])
})

test('an index is a registry or a public entry', () => {
  const found = sources.map(({ path }) => path).filter(path => basename(path) === 'index.ts')
  expect(indexFiles).toEqual(expect.arrayContaining(found))
})

test('folders and files have specific names', () => {
  const drawers = sources
    .map(({ path }) => path)
    .filter(path => /(^|\/)(utils?|helpers?|common|shared|misc)(\/|\.ts$)/.test(path))
  expect(drawers).toEqual([])
})

test('exports are named, one by one', () => {
  const loose = sources.filter(({ text }) => /export \*|export default/.test(text))
  expect(loose.map(({ path }) => path)).toEqual([])
})

test('a package that a room may import is imported somewhere', () => {
  const used = new Set(sources.flatMap(({ text }) => importsOf(text)).map(packageOf))
  const named = Object.values(plan).flatMap(({ packages }) => packages.map(packageOf))
  expect(named.filter(name => !used.has(name))).toEqual([])
})
