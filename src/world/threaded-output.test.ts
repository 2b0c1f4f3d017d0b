import { closeSync, mkdtempSync, openSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { NodeThreadedOutput } from './threaded-output.ts'

const home = process.cwd()
let folder = ''
let descriptor = 0
const printed = () => readFileSync(join(folder, 'printed'), 'utf8')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'premath-behind-'))
  descriptor = openSync(join(folder, 'printed'), 'a')
})

afterEach(() => {
  process.chdir(home)
  closeSync(descriptor)
  rmSync(folder, { recursive: true })
})

/** This process runs in a folder that is not there any more. */
function inGoneFolder(): void {
  const gone = mkdtempSync(join(tmpdir(), 'premath-gone-'))
  process.chdir(gone)
  rmdirSync(gone)
}

const aside: string[] = []
const file = { name: 'printed', write: (text: string) => aside.push(text) > 0 }

test('text is written in order and only once', async () => {
  const output = new NodeThreadedOutput(descriptor, file)
  for (const text of ['one\n', 'two\n', 'three\n']) expect(output.write(text)).toBe(true)
  await output.flush()
  expect([printed(), output.pending, aside]).toEqual(['one\ntwo\nthree\n', 0, []])
})

test('a thread that cannot start loses no earlier or later text', async () => {
  inGoneFolder()
  const output = new NodeThreadedOutput(descriptor, file)
  output.write('one\n')
  output.write('two\n')
  await output.flush()
  output.write('three\n')
  expect([printed(), output.pending, aside.join('')]).toEqual(['', 0, 'one\ntwo\nthree\n'])
})

test('a write failure is reported', async () => {
  inGoneFolder()
  const full = new Fault('unavailable', 'could not write printed: ENOSPC')
  const output = new NodeThreadedOutput(descriptor, {
    name: 'printed',
    write() {
      throw full
    },
  })
  output.write('one\n')
  await expect(output.flush()).rejects.toBe(full)
  expect(() => output.write('two\n')).toThrow(full)
})
