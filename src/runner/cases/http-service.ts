/** Starts the service of a case, waits until it is ready, and ends it with all its processes. */
import { signalExitCode } from '../../kernel/spec/case/signal-exit-code.ts'
import { contractPath } from '../../kernel/spec/contract-path.ts'
import { type HttpSetting, httpRequest } from '../../kernel/spec/http/http-request.ts'
import {
  type LifeCommand,
  needsPort,
  portName,
  type ReadyOutput,
  type ReadyProbe,
  type SetupCommand,
  scenarioIn,
  setupIn,
  teardownIn,
  withServiceValues,
} from '../../kernel/spec/http/scenario.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { CommandEnd, RunningCommand } from '../../world/world.ts'
import type { CaseFailure } from '../case-outcome.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { noAuthorizer } from './api-http-auth.ts'
import type { HttpExchange } from './api-http-exchange.ts'
import { isSpecErrorOf } from './case-harness.ts'
import { temporaryVariable } from './cli-run.ts'
import { type CommandRun, runCommand, withOutput } from './command-run.ts'
import { ReadyLine } from './ready-line.ts'

type Mapping = ReadonlyMap<string, SpecValue>
type Place = Pick<CommandRun, 'cwd' | 'env'>

/** How much of the end of its output is kept. The rest is read and dropped. */
const keptBytes = 64 * 1024
/** The time between SIGTERM and SIGKILL. */
const graceMs = 2_000
/** How often to look at the clock while a service starts. */
const lookMs = 50
/** One question of a probe, if more time is left. */
const askMsMax = 5_000

export interface ServiceParts {
  readonly value: Mapping
  readonly setting: HttpSetting
  readonly exchange: HttpExchange
}

interface NotReady {
  readonly why: string
  /** The server answered, but not as expected. */
  readonly isAnswer: boolean
}

export class HttpService {
  readonly #parts: ServiceParts
  readonly #context: ExecutionContext
  readonly #values = new Map<string, string>()
  #command: RunningCommand | undefined
  #forget: () => void = () => {}
  #end: CommandEnd | undefined
  #isStarted = false
  #isReady = false
  #isTornDown = false

  constructor(parts: ServiceParts, context: ExecutionContext) {
    this.#parts = parts
    this.#context = context
  }

  /** For `context_json`. */
  get facts(): Readonly<Record<string, SpecValue>> {
    return {
      setup_started: this.#isStarted,
      setup_ready: this.#isReady,
      teardown_ran: this.#isTornDown,
    }
  }

  /** Acts while the service runs. The act gets the case with the values of the service. */
  async during<T extends object>(
    act: (value: Mapping) => Promise<T | CaseFailure>,
  ): Promise<T | CaseFailure> {
    // Most cases have no service.
    if (scenarioIn(this.#parts.value).size === 0) return await act(this.#parts.value)
    let unended: CaseFailure | undefined
    let acted: T | CaseFailure
    try {
      acted =
        (await this.#start()) ?? (await act(withServiceValues(this.#parts.value, this.#values)))
    } finally {
      unended = await this.#finish()
    }
    const failure = isSpecErrorOf(acted) ? bothFailures(acted, unended) : unended
    return failure === undefined ? acted : this.withOutput(failure)
  }

  /** Adds the output of the service, which usually contains the reason. */
  withOutput<F extends CaseFailure>(failure: F): F {
    const output = this.#end?.stdout.tail ?? ''
    return output.trim() === '' ? failure : { ...failure, ...this.#withOutput(failure, output) }
  }

  #withOutput(failure: CaseFailure, output: string): Pick<CaseFailure, 'message' | 'output'> {
    return withOutput({ ...failure, streams: { output } }, this.#context)
  }

  async #start(): Promise<CaseFailure | undefined> {
    const { value } = this.#parts
    if (needsPort(value)) this.#values.set(portName, String(await this.#context.run.freePort()))
    const setup = setupIn(withServiceValues(scenarioIn(value), this.#values))
    if (setup === undefined || isSpecErrorOf(setup)) return setup
    const place = await this.#placeOf(setup)
    if (isSpecErrorOf(place)) return place
    const isService = setup.probe !== undefined || setup.output !== undefined
    return isService ? await this.#inBackground(setup, place) : await this.#toItsEnd(setup, place)
  }

  async #placeOf({ path, cwd, env }: LifeCommand): Promise<Place | CaseFailure> {
    const { run, document, temporaryFolder } = this.#context
    const refused = (why: string): CaseFailure => ({
      category: 'schema',
      message: `${path}.cwd ${why}`,
      path: `${path}.cwd`,
    })
    const read = contractPath(cwd === '' ? '/' : cwd)
    if ('refused' in read) return refused(read.refused)
    const folder = await run.roots.confined(document.root, read.path)
    if ('refused' in folder) return refused(folder.refused)
    const port = this.#values.get(portName)
    const own = [...env].map(([name, value]) => [name, value ?? undefined])
    return {
      cwd: folder.realPath,
      env: {
        ...this.#context.env,
        [temporaryVariable]: await temporaryFolder.make(),
        ...(port !== undefined && { PORT: port }),
        ...Object.fromEntries(own),
      },
    }
  }

  async #toItsEnd(setup: SetupCommand, place: Place): Promise<CaseFailure | undefined> {
    this.#isStarted = true
    const ended = await runCommand(this.#runOf(setup, place, 'setup.command'), this.#context)
    if (isSpecErrorOf(ended)) {
      return withOutput({ ...ended, path: `${setup.path}.command` }, this.#context)
    }
    if (ended.exitCode !== 0) {
      const failure = failed(setup, `setup.command exited with ${ended.exitCode}`)
      return withOutput({ ...failure, streams: ended }, this.#context)
    }
    this.#isReady = true
    return undefined
  }

  #runOf({ path, words, timeoutMs }: LifeCommand, place: Place, name: string): CommandRun {
    const timeoutKey = `${path}.timeout_ms`
    return { ...place, name, words, stdin: '', timeoutMs, timeoutKey, joinsOutputs: true }
  }

  async #inBackground(setup: SetupCommand, place: Place): Promise<CaseFailure | undefined> {
    const { run } = this.#context
    const line = setup.output && new ReadyLine(setup.output.regex, run.regex)
    const flaw = line?.flaw
    if (flaw) {
      const path = `${setup.path}.ready_output.regex`
      return { ...flaw, message: `${path}: ${flaw.message}`, path }
    }
    const processes = await run.world.processes()
    // Listen before starting: a stop right after the start must still end the service.
    run.listen(processes)
    this.#isStarted = true
    this.#command = await processes.start({
      ...place,
      command: setup.words,
      timeoutMs: Number.MAX_SAFE_INTEGER,
      graceMs,
      endsDetached: true,
      joinsOutputs: true,
      outputBytesMax: 0,
      tailBytesMax: keptBytes,
      onBytes: (_, bytes) => line?.take(bytes),
    })
    this.#forget = run.running(this.#command)
    const end = this.#command.end
    const late =
      (line && setup.output && (await this.#untilLine(line, setup.output, setup, end))) ??
      (setup.probe && (await this.#untilAnswer(setup.probe, setup, end)))
    this.#isReady = late === undefined
    return late
  }

  async #untilLine(
    line: ReadyLine,
    { regex, as, timeoutMs }: ReadyOutput,
    setup: SetupCommand,
    end: Promise<CommandEnd>,
  ): Promise<CaseFailure | undefined> {
    const { now, run } = this.#context
    const deadline = now() + timeoutMs
    for (;;) {
      // The line first: a command that prints it and ends was ready.
      const seen = await Promise.race([line.found, end, run.world.clock.sleep(lookMs)])
      if (typeof seen === 'string') return this.#keep(as, seen, setup)
      if (seen !== undefined) return endedEarly(seen, setup)
      if (now() >= deadline) {
        const message = `setup.command printed no line that matches ${regex} within ${timeoutMs} ms`
        return { ...failed(setup, message), hint: lateHint(`${setup.path}.ready_output`) }
      }
    }
  }

  /** Templates are filled later, and an inserted text must not be filled again. */
  #keep(name: string | undefined, value: string, setup: SetupCommand): CaseFailure | undefined {
    if (name === undefined) return undefined
    if (value.includes('{{')) return failed(setup, `setup.command printed {{ as its ${name}`)
    this.#values.set(name, value)
    return undefined
  }

  async #untilAnswer(
    probe: ReadyProbe,
    setup: SetupCommand,
    end: Promise<CommandEnd>,
  ): Promise<CaseFailure | undefined> {
    const { now, run } = this.#context
    const deadline = now() + probe.timeoutMs
    // An answer says more than the last try, which the deadline may have cut short.
    let answered: string | undefined
    for (;;) {
      const asked = await Promise.race([this.#ask(probe, setup, deadline - now()), end])
      if ('leftBehind' in asked) return endedEarly(asked, setup)
      if ('ready' in asked) return undefined
      if ('category' in asked) return asked
      if (asked.isAnswer) answered = asked.why
      if (now() >= deadline) {
        const message = `setup.ready_probe was not answered as expected within ${probe.timeoutMs} ms: ${answered ?? asked.why}`
        return { ...failed(setup, message), hint: lateHint(`${setup.path}.ready_probe`) }
      }
      await Promise.race([run.world.clock.sleep(probe.intervalMs), end])
    }
  }

  async #ask(
    { url, method, statuses }: ReadyProbe,
    { path }: SetupCommand,
    leftMs: number,
  ): Promise<{ readonly ready: true } | NotReady | CaseFailure> {
    const { setting, exchange } = this.#parts
    const timeoutMs = Math.max(1, Math.min(Math.ceil(leftMs), askMsMax))
    const asked = new Map<string, SpecValue>([
      ['method', method],
      ['url', withServiceValues(url, this.#values)],
      ['redirects', 'manual'],
      ['timeout_ms', timeoutMs],
    ])
    const request = httpRequest(asked, setting)
    const answer = await exchange.send({
      request,
      at: `${path}.ready_probe`,
      authorizer: noAuthorizer,
    })
    if (!isSpecErrorOf(answer)) {
      const isReady = statuses.includes(answer.status)
      return isReady ? { ready: true } : { why: `status ${answer.status}`, isAnswer: true }
    }
    return answer.category === 'runtime' && !answer.stopped
      ? { why: answer.message, isAnswer: false }
      : answer
  }

  /** Tears down what was started, also after a stop: it may run outside of this process. */
  async #finish(): Promise<CaseFailure | undefined> {
    const isRefused = scenarioIn(this.#parts.value).has('setup') && !this.#isStarted
    const unended = isRefused ? undefined : await this.#tearDown()
    this.#command?.stop()
    this.#end = await this.#command?.end
    this.#forget()
    return unended
  }

  async #tearDown(): Promise<CaseFailure | undefined> {
    const { record, run } = this.#context
    const teardown = teardownIn(withServiceValues(scenarioIn(this.#parts.value), this.#values))
    if (teardown === undefined || isSpecErrorOf(teardown)) return teardown
    const place = await this.#placeOf(teardown)
    if (isSpecErrorOf(place)) return place
    this.#isTornDown = true
    // Not `runCommand`, which a stop would end. A second Ctrl-C ends this process and the command.
    const { words, timeoutMs } = teardown
    const outputs = { joinsOutputs: true, outputBytesMax: 0, tailBytesMax: keptBytes }
    const processes = await run.world.processes()
    const end = await processes.run({ ...place, command: words, timeoutMs, ...outputs })
    const { durationMs, stdout, stderr, spawnFailed } = end
    const exitCode = spawnFailed ? null : (end.exitCode ?? signalExitCode(end.signal))
    const sizes = { stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes }
    const row = { name: 'teardown.command', words: [...words], exitCode, durationMs, ...sizes }
    record?.commandRan(row, place.env)
    if (spawnFailed) {
      return failed(teardown, `teardown.command could not start ${words[0]}: ${spawnFailed.reason}`)
    }
    return end.timedOut
      ? failed(teardown, `teardown.command timed out after ${timeoutMs} ms: ${words[0]}`)
      : undefined
  }
}

const failed = ({ path }: LifeCommand, message: string): CaseFailure => ({
  category: 'runtime',
  message,
  path: `${path}.command`,
})

/** The first failure is the reason, and the other must not hide it. */
const bothFailures = (first: CaseFailure, second: CaseFailure | undefined): CaseFailure =>
  second === undefined ? first : { ...first, message: `${first.message}; ${second.message}` }

const lateHint = (path: string) =>
  `Increase ${path}.timeout_ms, or correct what the service prints or answers.`

function endedEarly(end: CommandEnd, setup: SetupCommand): CaseFailure {
  const [program] = setup.words
  if (end.stopped)
    return { ...failed(setup, `setup.command was stopped: ${program}`), stopped: true }
  if (end.spawnFailed) {
    return failed(setup, `setup.command could not start ${program}: ${end.spawnFailed.reason}`)
  }
  const exitCode = end.exitCode ?? signalExitCode(end.signal)
  return failed(setup, `setup.command exited with ${exitCode} before it was ready: ${program}`)
}
