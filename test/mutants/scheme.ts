/** Programs. */
import type { Mutants } from './mutant.ts'

const test = 'test/scheme-eval.test.ts'
const workTest = 'test/work-program.test.ts'
const languageTest = 'src/kernel/scheme/language.test.ts'

export const schemeMutants: Mutants = {
  'tusk.14.no-shell': {
    file: 'src/kernel/scheme/host/host-action.ts',
    find: '/^(?:shell|network|http|exec)\\./i',
    replace: '/^(?:shell|network|http|exec)\\./',
    test,
  },
  'tusk.14.instruction-linked': [
    {
      file: 'src/operations/scheme-host.ts',
      find: 'if (named === undefined) return evidenceMissing(action, args)',
      replace: 'if (named === undefined) return { policyDigest: real, instructionRef: null }',
      test,
    },
    {
      file: 'src/operations/scheme-host.ts',
      find: 'policyDigest !== undefined && policyDigest !== real',
      replace: "policyDigest === ''",
      test,
    },
    {
      file: 'src/operations/call.ts',
      find: "return 'writes' in prepared && !prepared.writes",
      replace: "return 'writes' in prepared",
      test,
    },
  ],
  'tusk.14.1.envelope': [
    {
      file: 'src/kernel/scheme/host/host-effect.ts',
      find: 'sha256(canonicalJson(args))',
      replace: 'sha256(JSON.stringify([args]))',
      test,
    },
    {
      file: 'src/operations/scheme-host.ts',
      find: 'await trajectory.log.append(read)',
      replace: 'await Promise.resolve(trajectory.log)',
      test,
    },
  ],
  'tusk.14.2.families': {
    file: 'src/operations/scheme-host.ts',
    find: 'return { bound, payload: output,',
    replace: 'return { bound, payload: {},',
    test: 'test/equal-payloads.test.ts',
  },
  'tusk.14.3.work-proposes': {
    file: 'src/operations/scheme-host.ts',
    find: 'this.#context = { ...context, surface,',
    replace: "this.#context = { ...context, env: { ...context.env, PREMATH_STEP_ID: '' }, surface,",
    test,
  },
  'tusk.14.3.program-as-work': {
    file: 'src/operations/work-program.ts',
    find: '{ ...here, env: spec.env, cwd },',
    replace: '{ ...here, cwd },',
    test: workTest,
  },
  'tusk.14.3.program-proposes': {
    file: 'src/kernel/scheme/host/work-call.ts',
    find: 'if (isRead || requests.includes(action)) return undefined',
    replace: "if (isRead || action !== 'instruction.run') return undefined",
    test: workTest,
  },
  'tusk.14.3.program-ends': {
    file: 'src/operations/work-program.ts',
    find: 'budget: usualBudget, timeoutMs',
    replace: 'budget: { ...usualBudget, steps: 2 ** 50 }, timeoutMs',
    test: workTest,
  },
  'tusk.14.3.own-instruction': {
    file: 'src/kernel/scheme/host/work-call.ts',
    find: 'if (isOwn && more.length === 0) return undefined',
    replace: 'if (isOwn) return undefined',
    test: workTest,
  },
  'tusk.14.4.replay': [
    {
      file: 'src/kernel/scheme/host/replay.ts',
      find: 'effect.argsDigest !== argsDigest',
      replace: 'argsDigest.length === 0',
      test,
    },
    {
      file: 'src/kernel/scheme/host/replay.ts',
      find: 'if (this.#next === count) return undefined',
      replace: 'if (count >= 0) return undefined',
      test,
    },
  ],
  'scheme.1.budgets': {
    file: 'src/kernel/scheme/machine.ts',
    find: "this.#exceeded('step') : { state: 'paused' }",
    replace: "{ state: 'done', value: false } : { state: 'paused' }",
    test: languageTest,
  },
  'scheme.2.deterministic': {
    file: 'src/kernel/scheme/meter.ts',
    find: 'this.bytes += count * cellBytes',
    replace: 'this.bytes += count * Math.floor(Math.random() * 1000)',
    test: languageTest,
  },
}
