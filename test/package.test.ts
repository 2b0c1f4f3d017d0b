/** What a stranger gets: an installation that repeats, and a package with the right things in it. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import './built-command.ts'

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const manifest = read('package.json')

test('every dependency is pinned to one version', () => {
  const ranges = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(ranges.filter(range => !/^\d+\.\d+\.\d+$/.test(String(range)))).toEqual([])
})

test("the lockfile names no registry, and a hash for all but other platforms' binaries", () => {
  const { '': own, ...installed } = read('package-lock.json').packages
  expect(own.version).toBe(manifest.version)
  for (const entry of Object.values<Record<string, unknown>>(installed)) {
    expect(entry).not.toHaveProperty('resolved')
    if (!entry['optional']) expect(entry).toHaveProperty('integrity')
  }
})

test('the changelog knows the version', () => {
  expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`## ${manifest.version}`)
})

test('the package holds what it exports and none of the source or tests', () => {
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const files: string[] = JSON.parse(listing)[0].files.map(({ path }: { path: string }) => path)
  const exported = Object.values<string | Record<string, string>>(manifest.exports)
    .flatMap(target => (typeof target === 'string' ? [target] : Object.values(target)))
    .filter(target => !target.includes('*'))
    .map(target => target.replace('./', ''))
  const policies = readdirSync('policies/control').map(name => `policies/control/${name}`)
  const launcher = 'tools/harness/multithread_loop.py'
  const needed = ['dist/cli/main.cjs', 'LICENSE', launcher, ...policies]
  expect(files).toEqual(expect.arrayContaining([...exported, ...needed]))
  expect(files.filter(path => /^src\/|\.test\.|\/test_|\.pyc$/.test(path))).toEqual([])
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
