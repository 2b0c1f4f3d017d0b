/** docs/decisions/steps.md, The observability mode is in the policy. */
import type { Mutants } from './mutant.ts'

const payloadTest = 'test/observability.test.ts'
const payloads = 'src/harness/payloads.ts'
const dropPayloads = 'src/harness/step/drop-payloads.ts'

export const payloadMutants: Mutants = {
  'payloads.1.disabled': [
    {
      file: 'src/harness/step/command.ts',
      find: '    ...(isKept\n',
      replace: "    ...(isKept || name === 'verify'\n",
      test: payloadTest,
      named: 'its close verifies',
    },
    {
      file: 'src/harness/step/failure-file.ts',
      find: 'harness.unkeptFailures?.set(parts.folder.stepId, failure)',
      replace: 'harness.unkeptFailures?.set(parts.folder.path, failure)',
      test: payloadTest,
      named: 'feedback',
    },
    {
      file: dropPayloads,
      find: 'const evidenceNames = [evidenceName,',
      replace: 'const evidenceNames = [',
      test: payloadTest,
      named: 'its close verifies',
    },
    {
      file: 'src/harness/step/attempt.ts',
      find: '    ...(isKept\n      ? requests &&',
      replace: '    ...(isKept || requests\n      ? requests &&',
      test: payloadTest,
      named: 'asked to write',
    },
  ],
  'payloads.2.killed': {
    file: 'src/harness/step/commit-step.ts',
    find: 'await dropPayloads(harness, journal, outcome)',
    replace: 'if (!again) await dropPayloads(harness, journal, outcome)',
    test: payloadTest,
  },
  'payloads.3.turn': [
    {
      file: 'src/project/loop/step-gate.ts',
      find: 'if (mode) this.#mode = stricter(this.#mode, mode)',
      replace: 'if (mode) this.#mode = stricter(this.#mode, this.#mode)',
      test: payloadTest,
      named: 'that ask for it',
    },
    {
      file: dropPayloads,
      find: 'mode = stricter(mode, judged.observabilityMode)',
      replace: 'mode = stricter(mode, judged.joinClosed ? mode : judged.observabilityMode)',
      test: payloadTest,
      named: 'was killed',
    },
  ],
  'payloads.4.processor': [
    {
      file: payloads,
      find: 'const start = Math.max(0, bytes - payloadBytesMax)',
      replace: 'const start = Math.max(bytes, bytes - payloadBytesMax)',
      test: payloadTest,
      named: 'each payload',
    },
    {
      file: 'src/harness/run-checks.ts',
      find: 'await run.takeOutput?.(checkId, end)',
      replace: "await run.takeOutput?.('', end)",
      test: payloadTest,
      named: 'checks of an instruction',
    },
  ],
  'payloads.5.processor-failure': [
    {
      file: payloads,
      find: 'if (end.exitCode !== 0)',
      replace: 'if (end.exitCode === null)',
      test: payloadTest,
      named: 'one line',
    },
    {
      file: 'src/project/open-harness.ts',
      find: "if (observabilityMode !== 'internal_processor' || command !== undefined) return",
      replace: "if (observabilityMode !== 'dashboard' || command !== undefined) return",
      test: payloadTest,
      named: 'without a command',
    },
  ],
}
