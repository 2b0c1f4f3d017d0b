import type { ExitCode, Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import {
  type RelocationFinding,
  relocationClasses,
} from '../../kernel/harness/relocation/relocation-classes.ts'
import { visible } from '../../kernel/text/visible.ts'
import { checkHere } from '../../project/loop/location-check.ts'
import { titledPage } from '../../render/titled-page.ts'
import { resultInk } from '../../render/witnesses.ts'
import { writeWitness } from '../../store/witness-store.ts'
import type { RelocationWitness } from '../../wire/relocation/relocation-witness.ts'
import { operation } from '../operation.ts'

export const harnessRelocationCheck = operation({
  group: 'harness',
  summary: 'Check work that came here from another location, and say so in a witness.',
  description:
    'For the transport of a step, run in the clone that the work was brought to. The digest of the inputs is computed again; the issue has to be known here, to ask for the same and to be open; policy and files have to be those that were sent; then the verification runs, after which issue, policy and files have to be the same still. Nothing in issue memory changes. Under --json the answer is one line, as the step wants it back. Exits 0 when the work is accepted, 1 when it is rejected, 2 when the inputs cannot be read and 5 when they are not those that their name tells of.',
  effect: 'projection',
  isLive: true,
  input: {
    input: {
      type: 'text',
      describe: 'The inputs, a plain file under the name that they were sent by.',
      placeholder: 'file',
      required: true,
      path: true,
    },
    verifyCmd: {
      type: 'text',
      describe:
        'What says here that the work is done, by exit code 0; without it, PREMATH_VERIFY_CMD or the specs of the issue.',
      placeholder: 'command',
    },
    verifyTimeoutSeconds: {
      type: 'count',
      describe: 'How long it may take.',
      placeholder: 'seconds',
      default: 600,
    },
    ...memoryFields,
  },
  examples: [
    {
      command:
        "premath harness-relocation check --input artifacts/relocations/<digest>.json --verify-cmd 'make test' --json",
      shows: 'the answer for the step, as one line',
    },
  ],

  async run(input, context) {
    if (input.verifyTimeoutSeconds === 0) {
      throw new Fault('usage', '--verify-timeout-seconds is 0: nothing ends in no time')
    }
    const { arrivedRelocation } = await import('../../project/loop/arrived-relocation.ts')
    const arrived = await arrivedRelocation(input.input, context)
    const { witness, findings, root } = await checkHere(arrived, input, context)
    const disk = await context.disk()
    const { sha256 } = context
    const witnessRef = await writeWitness('relocation', witness, { root, disk, sha256 })
    const { result, failureClasses } = witness
    return {
      output: {
        action: 'harness-relocation.check',
        checkKind: 'premath.harness.relocation_check.v1',
        failureClasses,
        findings: findings.map(withRemedy),
        result,
        witness,
        witnessRef,
      },
      yes: result === 'accepted',
      exitCode: exitOf(findings),
      render: page => checkPage(witness, findings, page),
    }
  },
})

const withRemedy = ({ failureClass, message }: RelocationFinding) => ({
  failureClass,
  message,
  remedy: relocationClasses[failureClass].remedy,
})

function exitOf(findings: readonly RelocationFinding[]): ExitCode {
  if (findings.some(({ failureClass }) => failureClass === 'handoff.inputs_changed')) return 5
  return findings.length > 0 ? 1 : 0
}

function checkPage(
  { result, issueId, stepId, destination }: RelocationWitness,
  findings: readonly RelocationFinding[],
  page: Page,
): string {
  const title = `${resultInk(result, page)} ${visible(`${issueId} at ${destination}, of step ${stepId}`)}`
  const texts = findings
    .map(withRemedy)
    .map(({ failureClass, message, remedy }) => `${failureClass}: ${message}. ${remedy}`)
  return titledPage(title, texts, page)
}
