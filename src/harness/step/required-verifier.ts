/**
 * Verification with the required checks of the change, by rules that the work cannot edit. They run
 * before the other verifier, one after the other, in the checkout of the work.
 */

import { documentOf } from '../../kernel/artifact/print.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { gateWitnessRef } from '../../kernel/required/gate-witness.ts'
import {
  fallbackGate,
  gateFolder,
  gateName,
  witnessOfRun,
} from '../../kernel/required/run-witness.ts'
import {
  commandsOf,
  type RequiredRules,
  stepChecks,
  timeoutMsOf,
} from '../../kernel/required/step-checks.ts'
import { normalizerIdDefault } from '../../kernel/required/typed-core.ts'
import type { StepCommand } from '../../wire/harness/step-row.ts'
import type { RequiredDelta } from '../../wire/required/delta.ts'
import type { RequiredProjection } from '../../wire/required/projection.ts'
import { type RequiredResult, RequiredWitness } from '../../wire/required/required-witness.ts'
import { TimeSpan } from '../../world/time-span.ts'
import type { Harness } from '../harness.ts'
import { exitCodeOf } from '../run-checks.ts'
import type { CommandRun } from './command.ts'
import { commandVerifier, type Verification, type Verifier } from './command-verifier.ts'

/** `verifier` is absent if the required checks are the whole verification. */
export function requiredVerifier(
  required: RequiredRules,
  verifier: Verifier | undefined,
  harness: () => Harness,
): Verifier {
  const { rules, commands: commandOf } = required
  return {
    name: [...commandsOf(required), ...(verifier ? [verifier.name] : [])].join(' && '),
    dependsOnChange: true,
    async verify(run) {
      const { sha256, clock } = harness()
      const span = new TimeSpan(clock)
      const delta = (await run.delta?.()) ?? unchanged
      if (isRefused(delta)) return unseen(delta)
      const isAlone = verifier === undefined
      const { projection, checkIds } = stepChecks(rules, delta.changedPaths, isAlone, sha256)
      const commands: StepCommand[] = []
      const results: RequiredResult[] = []
      let failed: Verification | undefined
      let last: Verification | undefined
      for (const checkId of checkIds) {
        const command = commandOf.get(checkId)
        if (command === undefined) throw new TypeError(`the check ${checkId} has no command`)
        const env = { ...run.env, PREMATH_CHECK_ID: checkId }
        const timeoutMs = timeoutMsOf(rules, checkId) ?? run.timeoutMs
        last = await commandVerifier(command, harness).verify({ ...run, env, timeoutMs })
        commands.push(...last.commands)
        if (last.stopped) return { ...last, commands, passed: false }
        results.push(resultOf(checkId, last))
        if (last.passed) continue
        failed = { ...last, summary: `the required check ${checkId} failed: ${last.summary}` }
        break
      }
      const ended = { projection, delta, results, span }
      const witnessRefs = [await writeRequired(ended, run, harness())]
      if (failed) return { ...failed, commands, witnessRefs }
      // Last, because the proof is about the last command.
      const other = await verifier?.verify(run)
      const end = other ?? last
      if (end === undefined) throw new TypeError('the rules have a baseline of one check or more')
      return { ...end, commands: [...commands, ...(other?.commands ?? [])], witnessRefs }
    },
  }
}

/** For the target as it is, which must pass the baseline. */
const unchanged: RequiredDelta = {
  schema: 1,
  deltaKind: 'ci.required.delta.v1',
  changedPaths: [],
  source: 'explicit',
  fromRef: null,
  toRef: 'HEAD',
}

const unseen = ({
  failureClass,
  message,
}: {
  readonly failureClass: string
  readonly message: string
}): Verification => ({
  passed: false,
  stopped: false,
  commands: [],
  failureClasses: [failureClass],
  summary: `the required checks of the work are unknown: ${message}`,
})

function resultOf(checkId: string, { passed, commands, failed }: Verification): RequiredResult {
  const durationMs = commands.reduce((sum, one) => sum + one.durationMs, 0)
  if (passed) return { checkId, status: 'passed', exitCode: 0, durationMs }
  const exitCode = failed ? exitCodeOf(failed.end) : 1
  return { checkId, status: 'failed', exitCode, durationMs }
}

interface EndedChecks {
  readonly projection: RequiredProjection
  readonly delta: RequiredDelta
  readonly results: readonly RequiredResult[]
  readonly span: TimeSpan
}

/**
 * Writes the witness to the folder of the step, with the gate witnesses below it. The checks ran
 * where the work could reach them, so the harness makes all of them from the exit codes.
 */
async function writeRequired(
  { projection, delta, results: ran, span }: EndedChecks,
  { folder }: CommandRun,
  { sha256, disk }: Harness,
): Promise<string> {
  // The baseline may have run in place of checks, and then nothing was required.
  const isRequired = ({ checkId }: RequiredResult) => projection.requiredChecks.includes(checkId)
  const place = ({ checkId }: RequiredResult) => projection.requiredChecks.indexOf(checkId)
  const results = ran.filter(isRequired).sort((a, b) => place(a) - place(b))
  const gates = new Map<string, JsonObject>()
  const gateWitnessRefs = results.map((result, at) => {
    const { checkId } = result
    const payload = fallbackGate(result, { projection, delta }, sha256)
    const artifactRelPath = `${gateFolder(projection)}/${gateName(at, checkId)}.json`
    gates.set(artifactRelPath, payload)
    return gateWitnessRef({ checkId, artifactRelPath, source: 'fallback' }, payload, sha256)
  })
  if (gates.size > 0) await disk.makeFolderLoosely(folder.file(gateFolder(projection)))
  for (const [path, payload] of gates) await folder.write(path, payload)
  const witness = witnessOfRun(
    {
      projection,
      delta,
      results,
      gateWitnessRefs,
      normalizerId: normalizerIdDefault,
      span,
    },
    sha256,
  )
  return await folder.write('required.json', documentOf(RequiredWitness, witness))
}
