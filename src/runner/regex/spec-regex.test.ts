import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { build } from 'rolldown'
import { afterAll, describe, expect, test } from 'vitest'
import { defaultBudget } from '../../kernel/spec/lang/budget.ts'
import { Meter } from '../../kernel/spec/lang/meter.ts'
import { translatePattern } from '../../kernel/spec/lang/pattern.ts'
import { nodeWorld } from '../../world/node-world.ts'
import { hasAnswer, linearPattern, SpecRegex } from './spec-regex.ts'

const regex = new SpecRegex()
afterAll(() => regex.close())

/** Long enough for a busy machine. No test waits this long. */
const longMs = 30_000
const timeout = { category: 'runtime', message: 'spec_lang budget exceeded: timeout' }

const { startTimer } = nodeWorld()
const within = (timeoutMs: number) => new Meter({ ...defaultBudget, timeoutMs }, startTimer)

test('a match may take longer than its limit while the process does not run', () => {
  const slow = new SpecRegex()
  const neverRuns = { leftMs: () => 0.01, uncounted: <T>(run: () => T) => run() }
  expect(slow.test('(?<=hello )world', 'hello world', neverRuns)).toBe(true)
  slow.close()
})

test('a wake-up without an answer ends no wait', async () => {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const code = `
    const { workerData: signal } = require('node:worker_threads')
    while (Atomics.notify(signal, 0) === 0);
    Atomics.store(signal, 0, 2)
    Atomics.notify(signal, 0)`
  const thread = new Worker(code, { eval: true, workerData: signal })
  expect(hasAnswer(signal, longMs)).toBe(true)
  expect(Atomics.load(signal, 0)).toBe(2)
  await thread.terminate()
})

test('preparing the first patterns and starting the thread are not counted', () => {
  let ran = 0
  const counted = new SpecRegex()
  const time = {
    leftMs: () => 1000,
    uncounted: <T>(run: () => T) => {
      ran++
      return run()
    },
  }
  expect(counted.test('(?<=hello )world', 'hello world', time)).toBe(true)
  expect(counted.test('(?<=hello )world', 'world', time)).toBe(false)
  // The pattern, once, and the thread.
  expect(ran).toBe(2)
  counted.close()
})

test('an expression pays for patterns once the engine is loaded', () => {
  let ran = 0
  const counted = new SpecRegex()
  const time = {
    leftMs: () => longMs,
    uncounted: <T>(run: () => T) => {
      ran++
      return run()
    },
  }
  for (let at = 0; at < 100; at++) counted.test(`a${at}`, 'a', time)
  expect(ran).toBe(64)
})

describe('patterns that backtrack without limit', () => {
  const hostile = `${'a'.repeat(60)}b`

  test('are matched in linear time if possible', () => {
    expect(regex.test('(a+)+$', hostile, within(longMs))).toBe(false)
    expect(regex.test('(a|a)+$', hostile, within(longMs))).toBe(false)
  })

  test('are ended at the limit otherwise', () => {
    expect(regex.test('(?<=a)(a+)+$', hostile, within(50))).toMatchObject(timeout)
    expect(regex.test('(a+)+\\1$', hostile, within(50))).toMatchObject(timeout)
  })

  test('do not affect later matches', () => {
    expect(regex.test('(?<=a)(a+)+$', hostile, within(50))).toMatchObject(timeout)
    expect(regex.test('(?<=a)b', hostile, within(longMs))).toBe(true)
    expect(regex.test('(?<=b)b', hostile, within(longMs))).toBe(false)
  })

  test('are ended at the limit in a text too long for the linear engine', () => {
    const long = `${'a'.repeat(2_000_000)}b`
    expect(regex.test('(a+)+$', long, within(50))).toMatchObject(timeout)
    expect(regex.test('b$', long, within(longMs))).toBe(true)
  })
})

test('a word boundary follows Unicode, in texts of any length', () => {
  expect(regex.test('\\bgo\\b', 'naïve go', within(longMs))).toBe(true)
  expect(regex.test('\\bna\\b', 'naïve', within(longMs))).toBe(false)
  expect(regex.test('a\\b', `${'é '.repeat(600_000)}aé`, within(longMs))).toBe(false)
})

describe('patterns that no engine accepts', () => {
  test.each([
    ['(', 'unclosed ('],
    [')', 'a ) closes nothing'],
    ['[a', 'unclosed ['],
    ['[z-a]', 'out of order'],
    ['*a', 'nothing to repeat'],
    ['a++', 'possessive'],
    ['(?>a)', 'atomic'],
    ['(?(1)a|b)', 'conditional'],
    ['a(?i)b', 'not supported here'],
    ['(?x)a', 'the flag x'],
    ['\\', 'ends in a backslash'],
    ['\\q', '\\q is not supported'],
    ['(?<=(?i:a))b', 'no engine supports this combination'],
    ['('.repeat(500), 'nested too deep'],
    ['a'.repeat(100_000), 'too long'],
    ['(a)\\2', 'invalid'],
  ])('%s is a schema error', (pattern, why) => {
    expect(regex.test(pattern, 'a', within(longMs))).toEqual({
      category: 'schema',
      message: expect.stringContaining(why),
    })
  })

  test('many repetitions go to the other engine, and too many are refused', () => {
    expect(regex.test('a{2001}', 'a'.repeat(2001), within(longMs))).toBe(true)
    expect(regex.test('((((a{1000}){1000}){1000}){1000})', 'a', within(longMs))).not.toBe(true)
  })
})

describe('both engines', () => {
  const piece = fc.constantFrom(
    ...['a', 'b', '.', '^', '$', '\\A', '\\Z', '\\d', '\\w', '\\W', '\\s', '\\S', '\\b', '\\B'],
    ...['[ab]', '[^a]', '[\\w-]', '[\\W1]', '\\n', 'é', '😀', '(?:', '(', ')', ')', '|', '*', '+'],
    ...['?', '{2}', '{,2}', '(?i:A)', '\\.', '-', '/', '{', '}', ']', '#'],
  )
  const text = fc
    .array(fc.constantFrom('a', 'b', 'A', '1', '_', ' ', '\n', '\r', 'é', '😀', '\u2028', '-', '/'))
    .map(parts => parts.join(''))

  test('agree on every pattern that both accept', () => {
    const property = fc.property(
      fc.array(piece, { maxLength: 8 }).map(parts => parts.join('')),
      fc.array(text, { minLength: 1, maxLength: 4 }),
      (pattern, texts) => {
        const translated = translatePattern(pattern)
        if ('category' in translated || !translated.linear || !translated.native) return
        const linear = linearPattern(translated.linear)
        if (linear === undefined) return
        const native = nativePattern(translated.native)
        if (native === undefined) return
        const { linearNeedsAscii } = translated
        const judged = texts.map(one => (linearNeedsAscii ? one.replace(/\P{ASCII}/gu, '') : one))
        for (const one of judged) expect([one, linear.test(one)]).toEqual([one, native.test(one)])
      },
    )
    fc.assert(property, { numRuns: 1000 })
  })
})

function nativePattern({ source, flags }: { source: string; flags: string }): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

test('the thread works from bundled CommonJS, and does not keep the process alive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'premath-regex-'))
  await build({
    input: { regex: 'src/runner/regex/spec-regex.ts' },
    platform: 'node',
    output: { dir: folder, format: 'cjs', entryFileNames: '[name].cjs', minify: true },
  })
  const program = join(folder, 'program.cjs')
  writeFileSync(
    program,
    `const { SpecRegex } = require('./regex.cjs')
     const regex = new SpecRegex()
     const within = ms => {
       const end = performance.now() + ms
       return { leftMs: () => end - performance.now(), uncounted: run => run() }
     }
     const late = regex.test('(?<=a)(a+)+$', '${'a'.repeat(60)}b', within(50))
     console.log(late.message, regex.test('(?<=a)b', 'ab', within(${longMs})))`,
  )
  const printed = execFileSync(process.execPath, [resolve(program)], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(printed).toBe('spec_lang budget exceeded: timeout true\n')
})
