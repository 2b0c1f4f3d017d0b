/** The house plan. Each room lists what it may import; changing a line is a design change. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

interface Room {
  /** Rooms of ours it may import from, besides itself. */
  readonly rooms: readonly string[]
  /** Packages it may import; `node:` stands for all that Node brings along, a full name for one. */
  readonly packages: readonly string[]
}

const plan: Readonly<Record<string, Room>> = {
  'fault.ts': { rooms: [], packages: [] },
  'index.ts': { rooms: ['fault.ts', 'kernel', 'operations', 'wire', 'world'], packages: [] },
  wire: { rooms: [], packages: ['zod'] },
  // Both packages are functions from text to values: no input, no output, no clock.
  kernel: { rooms: ['wire', 'fault.ts'], packages: ['markdown-it', 'yaml'] },
  world: {
    rooms: ['fault.ts'],
    packages: ['node:', '@sigstore/core', 'chokidar', 'fs-native-extensions'],
  },
  store: { rooms: ['wire', 'kernel', 'world', 'fault.ts'], packages: [] },
  harness: { rooms: ['wire', 'kernel', 'world', 'store', 'fault.ts'], packages: [] },
  runner: {
    rooms: ['wire', 'kernel', 'world', 'fault.ts'],
    packages: ['re2js', 'tinyglobby', 'node:worker_threads'],
  },
  operations: {
    rooms: ['wire', 'kernel', 'world', 'store', 'harness', 'runner', 'fault.ts'],
    packages: ['ajv', 'cli-table3', 'junit-report-builder', 're2js'],
  },
  cli: { rooms: ['operations', 'wire', 'world', 'fault.ts'], packages: ['node:', '@bomb.sh/tab'] },
}

/** Registries and public entries, the only files that may be called `index.ts`. */
const indexFiles = [
  'index.ts',
  'kernel/index.ts',
  'kernel/turn/rules/index.ts',
  'operations/index.ts',
  'wire/index.ts',
]

const roomOf = (path: string) => path.split('/')[0] ?? ''

const packageOf = (target: string) =>
  target.startsWith('node:')
    ? 'node:'
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/')

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(path))
  .map(path => ({ path, text: readFileSync(join('src', path), 'utf8') }))

/** What a source names after `from`, in `import '…'` and in `import('…')`. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'([^'\s]+)'/g)].map(
    ([, target = '']) => target,
  )
}

test.each(sources)('$path imports only what its room may', ({ path, text }) => {
  const room = roomOf(path)
  const { rooms, packages } = plan[room] ?? { rooms: [], packages: [] }
  expect(Object.keys(plan)).toContain(room)
  const refused = importsOf(text).filter(target => {
    if (target.startsWith('.')) {
      const other = roomOf(normalize(join(dirname(path), target)))
      return other !== room && !rooms.includes(other)
    }
    return !packages.includes(packageOf(target)) && !packages.includes(target)
  })
  expect(refused).toEqual([])
})

test.each(sources.filter(({ path }) => roomOf(path) === 'kernel'))(
  '$path takes time and chance as arguments',
  ({ text }) => {
    expect(text).not.toMatch(/Date\.now|new Date\(\)|Math\.random|performance\.now/)
  },
)

/** Where the process is still raw: its arguments, its exit and its loader. */
const beforeTheWorld = ['cli/code-cache.ts', 'cli/main.ts', 'cli/start.ts']

test.each(sources.filter(({ path }) => roomOf(path) !== 'world' && !beforeTheWorld.includes(path)))(
  '$path takes the process as an argument',
  ({ text }) => {
    expect(text).not.toMatch(/\bprocess\.\w/)
  },
)

test('an index is a registry or a public entry', () => {
  const found = sources.map(({ path }) => path).filter(path => basename(path) === 'index.ts')
  expect(indexFiles).toEqual(expect.arrayContaining(found))
})

test('there is no drawer for things without a name', () => {
  const drawers = sources
    .map(({ path }) => path)
    .filter(path => /(^|\/)(utils?|helpers?|common|shared|misc)(\/|\.ts$)/.test(path))
  expect(drawers).toEqual([])
})

test('exports are named, one by one', () => {
  const loose = sources.filter(({ text }) => /export \*|export default/.test(text))
  expect(loose.map(({ path }) => path)).toEqual([])
})

test('a dependency is imported somewhere in the house', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const used = new Set(sources.flatMap(({ text }) => importsOf(text)).map(packageOf))
  expect(Object.keys(dependencies).filter(name => !used.has(name))).toEqual([])
})
