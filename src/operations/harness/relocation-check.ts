import type { ExitCode, Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { countField, textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import {
  type RelocationFinding,
  relocationClasses,
} from '../../kernel/harness/relocation/relocation-classes.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { titledPage } from '../../render/titled-page.ts'
import { resultInk } from '../../render/witnesses.ts'
import { writeWitness } from '../../store/witness-store.ts'
import {
  RelocationCheck,
  type RelocationWitness,
} from '../../wire/relocation/relocation-witness.ts'
import { operation } from '../operation.ts'

export const harnessRelocationCheck = operation({
  group: 'harness',
  summary: 'Check work that was relocated to this clone and write a witness.',
  description:
    'Run by the transport of a step, in the clone that received the work. Verifies the digest of the inputs, and that issue, policy and files are those that were sent and the issue is open. Then it runs the verification and checks issue, policy and files again. Issue memory does not change. With --json the answer is one line for the evidence file of the step. Exits 0 if the work is accepted, 1 if it is rejected, 2 if the inputs cannot be read, and 5 if their digest does not match their name.',
  effect: 'projection',
  opId: 'op/harness.relocation_check',
  isLive: true,
  input: {
    input: textField('file', 'The inputs: a plain file with its original name.', {
      required: true,
      path: true,
      mayBeBare: true,
    }),
    verifyCmd: textField(
      'command',
      'The command that verifies the work with exit code 0. Defaults to PREMATH_VERIFY_CMD, then to the specs of the issue.',
    ),
    verifyTimeoutSeconds: countField('seconds', 'The timeout of the verification.', {
      default: 600,
    }),
    ...memoryFields,
  },
  output: RelocationCheck,
  examples: {
    "premath harness-relocation check --input artifacts/relocations/<digest>.json --verify-cmd 'make test' --json":
      'print the answer for the step',
  },

  async run(input, context) {
    if (input.verifyTimeoutSeconds === 0) {
      throw new Fault('usage', '--verify-timeout-seconds must be greater than 0')
    }
    const { receivedRelocation, checkHere } = await import('../../project/loop/location-check.ts')
    const arrived = await receivedRelocation(input.input, context)
    const project = await openProject(context)
    const { witness, findings, root } = await checkHere(arrived, input, project)
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
  const title = `${resultInk(result, page)} ${visible(`${issueId} at ${destination}, step ${stepId}`)}`
  const texts = findings
    .map(withRemedy)
    .map(({ failureClass, message, remedy }) => `${failureClass}: ${message}. ${remedy}`)
  return titledPage(title, texts, page)
}
