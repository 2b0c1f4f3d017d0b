import type { ExitCode } from '../../answer.ts'
import { schemeBudgetFields, schemeHostFields, schemeLimits } from '../../input/scheme-fields.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import type { Json } from '../../kernel/json.ts'
import { isIncomplete } from '../../kernel/scheme/language.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import { isStepWork } from '../../project/authority/authority.ts'
import type { OperationContext } from '../../project/context.ts'
import { inputLines } from '../../project/input-lines.ts'
import { openProject } from '../../project/open.ts'
import { openTrajectory } from '../../project/open-trajectory.ts'
import { ReplAnswer } from '../../wire/answers/program.ts'
import { operation } from '../operation.ts'
import { Host } from '../scheme-host.ts'
import { type Evaluated, SchemeSession } from '../scheme-run.ts'

export const repl = operation({
  group: 'program',
  summary: 'Evaluate Scheme expressions as you type them.',
  description:
    'Reads expressions from the terminal, or from a pipe, and prints their values. An expression may take several lines. Definitions stay until the end of the session. An error does not end it; Ctrl-D does, and Ctrl-C ends it at once. :history lists what was entered, and :again <n> evaluates one of it again. The prompt edits lines as the terminal does; rlwrap premath repl adds arrow keys. The language, the host functions and the checks are those of premath scheme-eval. Each entry has the whole budget. Exits 1 if an entry from a pipe failed.',
  effect: 'projection',
  opId: 'op/transport.repl',
  input: { ...schemeBudgetFields, ...schemeHostFields },
  output: ReplAnswer,
  examples: {
    'premath repl': 'a prompt',
    'echo "(+ 1 2)" | premath repl': 'the value of each expression in a pipe',
  },

  async run(input, context) {
    const limits = schemeLimits(input)
    const { issueId, policyDigest, instruction: instructionRef } = input
    const trajectory = isStepWork(context)
      ? undefined
      : await openTrajectory(await openProject(context), undefined)
    const host = new Host(context, {
      transport: input.hostActionTransport,
      stepPrefix: 'repl',
      metadata: { issueId, policyDigest, instructionRef },
      trajectory,
    })
    const session = new SchemeSession(host, context.clock, limits)
    const talk = new Talk(session, context)
    return { stream: talk.lines(), exitCode: () => talk.exitCode() }
  },
})

class Talk {
  readonly #session: SchemeSession
  readonly #context: OperationContext
  readonly #isAtTerminal: boolean
  readonly #history: string[] = []
  #hasFailed = false

  constructor(session: SchemeSession, context: OperationContext) {
    this.#session = session
    this.#context = context
    this.#isAtTerminal = !context.json && context.isAtTerminal()
  }

  exitCode(): ExitCode {
    return this.#hasFailed && !this.#isAtTerminal ? 1 : 0
  }

  async *lines(): AsyncIterable<string> {
    let entry = ''
    yield this.#prompt(entry)
    for await (const line of inputLines(this.#context.stdin)) {
      if (this.#isAtTerminal && line.includes(escapeCharacter)) {
        yield arrowKeys
        entry = ''
      } else {
        entry += `${line}\n`
      }
      if (entry !== '' && !isIncomplete(entry)) {
        yield* this.#answer(entry.trim())
        entry = ''
      }
      yield this.#prompt(entry)
    }
    if (entry.trim() !== '') yield* this.#answer(entry.trim())
    if (this.#isAtTerminal) yield '\n'
  }

  #prompt(entry: string): string {
    if (!this.#isAtTerminal) return ''
    return entry === '' ? 'scheme> ' : '   ...> '
  }

  async *#answer(entry: string): AsyncIterable<string> {
    if (entry === '') return
    if (entry === ':history') {
      for (const [at, one] of this.#history.entries()) yield historyLine(at, one)
      return
    }
    const [, again] = /^:again +([0-9]+)$/.exec(entry) ?? []
    // A keyword by itself has no use as a program.
    if (entry.startsWith(':') && again === undefined) {
      const hint = 'The commands are :history and :again <n>. Ctrl-D ends the session.'
      yield this.#shown(unusable(`there is no command ${entry}`, hint))
      return
    }
    const text = again === undefined ? entry : this.#history[Number(again) - 1]
    if (text === undefined) {
      yield this.#shown(unusable(`there is no entry ${again}`, ':history lists the entries.'))
      return
    }
    this.#history.push(text)
    yield this.#shown(await this.#session.evaluate(text, true))
  }

  #shown(evaluated: Evaluated): string {
    if (evaluated.refusal) this.#hasFailed = true
    return this.#context.json ? jsonLine(evaluated) : page(evaluated)
  }
}

/** An entry that is neither a program nor a command of the prompt. */
const unusable = (message: string, hint: string): Evaluated => ({
  refusal: { failureClasses: ['scheme_eval.invalid_program'], message, hint },
  steps: 0,
  bytes: 0,
})

const escapeCharacter = String.fromCharCode(0x1b)
const arrowKeys =
  'error: arrow keys do not work here, and the entry is dropped\n  :history and :again <n> repeat an entry. rlwrap premath repl adds arrow keys.\n'

function historyLine(at: number, entry: string): string {
  const number = `${at + 1}  `
  const below = `\n${' '.repeat(number.length)}`
  return `${number}${visibleLines(entry).replaceAll('\n', below)}\n`
}

function page({ refusal, valueText }: Evaluated): string {
  if (refusal) {
    const [failureClass = 'rejected'] = refusal.failureClasses
    return `error: ${visible(refusal.message)} (${failureClass})\n  ${visible(refusal.hint)}\n`
  }
  if (valueText === '#<unspecified>') return ''
  return `${visibleLines(valueText ?? 'a large value')}\n`
}

function jsonLine({ refusal, value, valueText, steps }: Evaluated): string {
  const [code = 'rejected'] = refusal?.failureClasses ?? []
  const found: Json = refusal
    ? {
        error: { code, message: refusal.message, hint: refusal.hint },
        failureClasses: [...refusal.failureClasses],
        result: 'rejected',
        steps,
      }
    : { result: 'accepted', steps, value: value ?? null, valueText: valueText ?? '' }
  return `${canonicalJson(found)}\n`
}
