/**
 * Matches the patterns of specs, in linear time where possible and in a worker thread otherwise.
 */

import { Worker } from 'node:worker_threads'
import { RE2JS } from 're2js'
import { invalidPattern, translatePattern } from '../../kernel/spec/lang/pattern.ts'
import type { MatchTime, Regex } from '../../kernel/spec/lang/regex.ts'
import { budgetExceeded, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import { whileBlocked } from '../../world/stop-signals.ts'

/** Characters times program size. Beyond this, the linear engine is too slow as well. */
const linearCostMax = 1_000_000
/** Size of the cache of compiled patterns. */
const keptMax = 1024
/**
 * The first patterns load the engine and its Unicode tables, which takes longer than many time
 * limits. Later ones count, so that an expression cannot compile patterns for ever.
 */
const firstPatterns = 64

interface Ready {
  readonly linear: LinearPattern | undefined
  readonly linearNeedsAscii: boolean
  readonly native: { readonly source: string; readonly flags: string } | undefined
}

export class SpecRegex implements Regex {
  readonly #kept = new Map<string, Ready | SpecError>()
  readonly #bounded = new BoundedRegex()
  #prepared = 0

  test(pattern: string, text: string, time: MatchTime): boolean | SpecError {
    const ready = this.#ready(pattern, time)
    if ('category' in ready) return ready
    const { linear, linearNeedsAscii, native } = ready
    const quick = linear !== undefined && linear.size * text.length <= linearCostMax
    const isExact = !linearNeedsAscii || isAscii(text)
    if (linear !== undefined && ((quick && isExact) || native === undefined)) {
      return linear.test(text)
    }
    if (native === undefined) return invalidPattern(pattern, 'no engine supports it')
    const answer = this.#bounded.test(native.source, native.flags, text, time)
    if (answer === 'too late') {
      const { category, message, hint } = budgetExceeded('timeout')
      return { category, message, ...(hint !== undefined && { hint }) }
    }
    return answer === 'too large' ? invalidPattern(pattern, 'it is too large') : answer === 'yes'
  }

  /** Replaces every match by a literal text, in linear time only. */
  replaceAll(pattern: string, text: string, by: string): string | SpecError {
    const ready = this.#ready(pattern)
    if ('category' in ready) return ready
    const { linear } = ready
    if (linear === undefined)
      return invalidPattern(pattern, 'the linear engine does not support it')
    if (linear.test('')) return invalidPattern(pattern, 'it matches the empty text')
    return linear.replaceAll(text, by)
  }

  /**
   * The first group of a match, or the whole match; `undefined` if nothing matches. Linear time
   * only, because nothing limits it.
   */
  firstGroup(pattern: string, text: string): string | undefined | SpecError {
    const ready = this.#ready(pattern)
    if ('category' in ready) return ready
    if (ready.linear !== undefined) return ready.linear.firstGroup(text)
    return invalidPattern(pattern, 'a capture has no lookaround and no backreference')
  }

  /** Ends the thread, if one was started. */
  close(): void {
    this.#bounded.close()
  }

  #ready(pattern: string, time?: MatchTime): Ready | SpecError {
    const known = this.#kept.get(pattern)
    if (known !== undefined) return known
    if (this.#kept.size >= keptMax) this.#kept.clear()
    const isFirst = this.#prepared++ < firstPatterns
    const made = isFirst && time ? time.uncounted(() => prepare(pattern)) : prepare(pattern)
    this.#kept.set(pattern, made)
    return made
  }
}

function prepare(pattern: string): Ready | SpecError {
  const translated = translatePattern(pattern)
  if ('category' in translated) return translated
  const { linear, linearNeedsAscii, native } = translated
  const ready: Ready = {
    linearNeedsAscii,
    linear: linear === undefined ? undefined : linearPattern(linear),
    native,
  }
  const why = native === undefined ? undefined : nativeComplaint(native)
  if (why === undefined) return ready
  return ready.linear === undefined ? invalidPattern(pattern, why) : { ...ready, native: undefined }
}

/** The syntax error JavaScript reports for a pattern. It parses the pattern only. */
function nativeComplaint({ source, flags }: { source: string; flags: string }): string | undefined {
  try {
    new RegExp(source, flags)
    return undefined
  } catch (error) {
    return String(error).replace(/^.*: /s, '').toLowerCase()
  }
}

const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text)

/** Compiles patterns for an engine with linear running time. */
interface LinearPattern {
  /** The program size: the work per character of text. */
  readonly size: number
  test(text: string): boolean
  replaceAll(text: string, by: string): string
  firstGroup(text: string): string | undefined
}

/**
 * `undefined` if the engine cannot compile the pattern, for example because of many repetitions.
 */
export function linearPattern(source: string): LinearPattern | undefined {
  try {
    const compiled = RE2JS.compile(source)
    return {
      size: compiled.programSize(),
      test: text => compiled.matcher(text).find(),
      replaceAll: (text, by) => compiled.matcher(text).replaceAll(() => by),
      firstGroup(text) {
        const matcher = compiled.matcher(text)
        if (!matcher.find()) return undefined
        return (compiled.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? undefined
      },
    }
  } catch {
    return undefined
  }
}

/** The thread's answers in shared memory. */
const answerCodes = { nothing: 0, ready: 1, yes: 2, no: 3, tooLarge: 4 } as const

/** Source text instead of a file, so that it works the same bundled and unbundled. */
const threadCode = `
const { parentPort, workerData: signal } = require('node:worker_threads')
function answer({ source, flags, text }) {
  try {
    return new RegExp(source, flags).test(text) ? ${answerCodes.yes} : ${answerCodes.no}
  } catch {
    return ${answerCodes.tooLarge}
  }
}
function say(word) {
  Atomics.store(signal, 0, word)
  Atomics.notify(signal, 0)
}
parentPort.on('message', question => say(answer(question)))
say(${answerCodes.ready})
`

/** A thread that has not started or answered after this time never will. */
const stalledMs = 30_000

interface Thread {
  readonly worker: Worker
  readonly signal: Int32Array
}

type BoundedAnswer = 'yes' | 'no' | 'too late' | 'too large'

/**
 * Runs JavaScript regular expressions in a worker thread with a timeout, because they can take
 * exponential time. The caller blocks until the verdict.
 */
class BoundedRegex {
  /** Started on first use, and again after a timeout. */
  #thread: Thread | undefined

  test(source: string, flags: string, text: string, time: MatchTime): BoundedAnswer {
    this.#thread ??= time.uncounted(start)
    const { worker, signal } = this.#thread
    Atomics.store(signal, 0, answerCodes.nothing)
    worker.postMessage({ source, flags, text })
    // On a busy machine the thread has run for less than the time that was waited.
    let waitedMs = 0
    for (let left = time.leftMs(); left > 0 && waitedMs < stalledMs; left = time.leftMs()) {
      const ms = Math.max(left, 1)
      if (whileBlocked(() => hasAnswer(signal, ms))) break
      waitedMs += ms
    }
    const word = Atomics.load(signal, 0)
    if (word === answerCodes.yes) return 'yes'
    if (word === answerCodes.no) return 'no'
    if (word === answerCodes.tooLarge) return 'too large'
    this.close()
    return 'too late'
  }

  close(): void {
    void this.#thread?.worker.terminate()
    this.#thread = undefined
  }
}

/**
 * Waits for an answer. The thread stores an answer and then wakes whoever waits, so a wake-up can
 * belong to the answer before: only the stored word counts.
 */
export function hasAnswer(signal: Int32Array, ms: number): boolean {
  while (Atomics.load(signal, 0) === answerCodes.nothing) {
    if (Atomics.wait(signal, 0, answerCodes.nothing, ms) === 'timed-out') return false
  }
  return true
}

function start(): Thread {
  const signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(threadCode, { eval: true, workerData: signal, execArgv: [], env: {} })
  // An idle thread does not keep the process alive.
  worker.unref()
  // A thread that fails to start never answers.
  worker.on('error', () => {})
  hasAnswer(signal, stalledMs)
  // The first question and answer take longer than all others.
  Atomics.store(signal, 0, answerCodes.nothing)
  worker.postMessage({ source: 'a', flags: 'v', text: 'a' })
  hasAnswer(signal, stalledMs)
  return { worker, signal }
}
