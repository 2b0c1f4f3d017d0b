import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { simWorld } from '../testing/sim-world.ts'
import { openContext } from './context.ts'
import { absolute, namingSource, readDocument } from './named-document.ts'

describe('a document', () => {
  const world = simWorld({ files: { '/a.json': 'é😀'.repeat(10) }, input: '{"in":"put"}' })
  const context = openContext(world)

  test('is read whole from a file, by a path of any kind, or from standard input', async () => {
    expect(await readDocument('/a.json', context)).toBe('é😀'.repeat(10))
    expect(await readDocument('a.json', context)).toBe('é😀'.repeat(10))
    expect(await readDocument('-', context)).toBe('{"in":"put"}')
    expect(absolute('b/c', { ...context, cwd: () => '/x' })).toBe('/x/b/c')
  })
})

describe('a fault about a document says which one', () => {
  const failing = (fault: Error) =>
    namingSource('t', () => {
      throw fault
    })

  test('even if its name is short', async () => {
    const fault = new Fault('invalid_input', 'not a turn', {
      hint: 'Mend it.',
      detail: { line: 2 },
    })
    await expect(failing(fault)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 't: not a turn',
      hint: 'Mend it.',
      detail: { source: 't', line: 2 },
      cause: fault,
    })
  })

  test('once, since the disk names the path itself', async () => {
    const fault = new Fault('invalid_input', 'there is no file /t', { detail: { path: '/t' } })
    await expect(failing(fault)).rejects.toBe(fault)
  })

  test('and touches no other file', async () => {
    const unavailable = new Fault('unavailable', 'gone')
    await expect(failing(unavailable)).rejects.toBe(unavailable)
    const bug = new TypeError('x')
    await expect(failing(bug)).rejects.toBe(bug)
    expect(await namingSource('t', () => 7)).toBe(7)
  })
})
