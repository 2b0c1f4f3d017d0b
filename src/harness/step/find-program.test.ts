import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeDisk } from '../../world/node-disk.ts'
import { missingProgram } from './find-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'premath programs '))
const bin = join(folder, 'bin')

beforeAll(() => {
  mkdirSync(join(bin, 'a-folder'), { recursive: true })
  for (const path of ['bin/agent', 'own.sh']) {
    writeFileSync(join(folder, path), '#!/bin/sh\n')
    chmodSync(join(folder, path), 0o755)
  }
  writeFileSync(join(bin, 'a-text'), '')
  symlinkSync(join(bin, 'agent'), join(bin, 'linked'))
  symlinkSync(join(bin, 'nowhere'), join(bin, 'dangling'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const missing = (command: string, PATH: string | undefined, at: string | undefined = folder) =>
  missingProgram(command, { folder: at, env: { PATH }, disk: nodeDisk })

test.each(['agent run', 'linked', './own.sh', 'bin/agent', 'true', '"agnet" run', 'PATH=/x agnet'])(
  'the shell finds the program of %j, or only it can tell',
  async command => {
    expect(await missing(command, bin)).toBeUndefined()
  },
)

test.each(['agnet', 'a-text', 'a-folder', 'dangling', './agent', 'own.sh', '/no/agent'])(
  'the shell does not find %j',
  async command => {
    expect(await missing(command, bin)).toBe(command)
  },
)

test('each folder of PATH is searched, the current one too', async () => {
  const odd = [join(folder, 'own.sh'), join(folder, 'none'), '/dev/null', bin].join(':')
  expect(await missing('agent', odd)).toBeUndefined()
  expect(await missing('own.sh', `/none:`)).toBeUndefined()
  expect(await missing('agent', '/none:bin')).toBeUndefined()
  expect(await missing('agnet', odd)).toBe('agnet')
})

test('a program may be in a place that is not known here', async () => {
  expect(await missing('agnet', undefined)).toBeUndefined()
  expect(await missingProgram('./own.sh', { folder: undefined, env: {}, disk: nodeDisk })).toBe(
    undefined,
  )
})
