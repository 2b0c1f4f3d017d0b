/** The package: its pinned dependencies, its files and its entries. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import './built-command.ts'

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const manifest = read('package.json')

test('every dependency is pinned to one version', () => {
  const ranges = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(ranges.filter(range => !/^\d+\.\d+\.\d+$/.test(String(range)))).toEqual([])
})

test('a user installs only what cannot be bundled: a package with compiled code', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['fs-native-extensions'])
})

test("the lockfile names no registry, and a hash for all but other platforms' binaries", () => {
  const { '': own, ...installed } = read('package-lock.json').packages
  expect(own.version).toBe(manifest.version)
  for (const entry of Object.values<Record<string, unknown>>(installed)) {
    expect(entry).not.toHaveProperty('resolved')
    if (!entry['optional']) expect(entry).toHaveProperty('integrity')
  }
})

test('a command that prints a table loads no other commands for that', () => {
  const pages = readFileSync('dist/chunks/pages.cjs', 'utf8')
  expect([...pages.matchAll(/require\("\.\/([^"]+)"\)/g)].map(([, name]) => name)).toEqual([
    'core.cjs',
  ])
})

test('the changelog knows the version', () => {
  expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`## ${manifest.version}`)
})

interface Packed {
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

const [packed]: Packed[] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
)
const files = packed?.files.map(({ path }) => path) ?? []

test('the package holds what it exports and none of the source or tests', () => {
  const exported = Object.values<string | Record<string, string>>(manifest.exports)
    .flatMap(target => (typeof target === 'string' ? [target] : Object.values(target)))
    .filter(target => !target.includes('*'))
    .map(target => target.replace('./', ''))
  const policies = readdirSync('policies/control').map(name => `policies/control/${name}`)
  const launcher = 'tools/harness/multithread_loop.py'
  const page = manifest.man.replace('./', '')
  const needed = ['dist/cli/main.cjs', page, 'LICENSE', 'docs/tutorial.md', launcher, ...policies]
  expect(files).toEqual(expect.arrayContaining([...exported, ...needed]))
  expect(files.filter(path => /^src\/|\.test\.|\/test_|\.pyc$|\.map$/.test(path))).toEqual([])
})

test('the package has at most 500 files and 2 MB', () => {
  expect(files.length).toBeLessThanOrEqual(500)
  expect(packed?.size).toBeLessThanOrEqual(2_000_000)
})

test('the manifest names no address that does not exist', () => {
  expect(manifest).not.toHaveProperty('repository')
  expect(manifest).not.toHaveProperty('bugs')
  expect(manifest).not.toHaveProperty('homepage')
})

test('a program can import what the package exports', () => {
  const program = `
    import { Fault, operations } from 'premath'
    import * as kernel from 'premath/kernel'
    console.log(typeof Fault, Object.keys(operations).includes('schema'), Object.keys(kernel).length > 0)
  `
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  expect(out).toBe('function true true\n')
})

test('every command of the package loads, together with all others', () => {
  const program = `
    import { operations } from 'premath'
    const loaded = await Promise.all(Object.entries(operations).map(async ([name, load]) => [name, await load()]))
    console.log(JSON.stringify(loaded.filter(([, one]) => one?.group === undefined)))
  `
  const flags = ['--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' })
  expect({ stdout, stderr }).toEqual({ stdout: '[]\n', stderr: '' })
})

test('a TypeScript program compiles against the declarations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'premath-types-'))
  try {
    mkdirSync(join(folder, 'node_modules/premath/dist'), { recursive: true })
    symlinkSync(resolve('dist/types'), join(folder, 'node_modules/premath/dist/types'))
    copyFileSync('package.json', join(folder, 'node_modules/premath/package.json'))
    const source = `
      import { Fault, type Operation, openContext, nodeWorld } from 'premath'
      import { judge, parseJson, type Turn } from 'premath/kernel'
      const { sha256 } = nodeWorld()
      const report = judge(parseJson('{}'), { sha256 })
      const result: 'accepted' | 'rejected' = report.result
      // @ts-expect-error A report is not written to.
      report.result = 'accepted'
      export const kept: [Turn?, Operation?] = []
      console.log(result, openContext(nodeWorld()).cwd(), new Fault('usage', '').hint)
    `
    writeFileSync(join(folder, 'program.mts'), source)
    const flags = '--ignoreConfig --noEmit --strict --module nodenext --target es2023 --types'
    const words = [...flags.split(' '), '', '--preserveSymlinks', 'program.mts']
    const tsc = resolve('node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
