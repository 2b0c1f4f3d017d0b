import { isGiven, textOf } from '../../kernel/instruction/instruction-field.ts'
import {
  allRead,
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import { type DecisionClaim, verifyDecision } from '../../kernel/required/verify-decision.ts'
import { counted } from '../../kernel/text/counted.ts'
import { inputField, requiredInput } from '../../project/required/required-input.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { errorsPage } from '../../render/required-page.ts'
import { DecisionVerification } from '../../wire/required/decision.ts'
import { operation } from '../operation.ts'

export const requiredDecisionVerify = operation({
  group: 'required',
  opId: 'op/ci.verify_required_decision',
  summary: 'Verify a decision about required checks.',
  description:
    'Compares the decision with the witness and the delta that it is about, and with the digests of their files. Exits 0 if nothing differs, 1 if something does, and 2 if the input is invalid.',
  effect: 'read',
  input: inputField('decision as JSON, with witness, deltaSnapshot and the digests of their files'),
  output: DecisionVerification,
  examples: {
    'premath required-decision-verify --input chain.json': 'whether the decision holds',
    'premath required-decision-verify --input - --json': 'every difference',
  },

  async run({ input }, context) {
    const action = 'required-decision-verify'
    const document = await requiredInput(input, failureClass, context)
    const claim = isRefused(document) ? document : claimIn(document)
    if (isRefused(claim)) return refusedInstruction(action, claim)
    const verified = verifyDecision(claim)
    const { errors } = verified
    const title = errors.length === 0 ? 'the decision holds' : counted(errors.length, 'difference')
    return {
      output: verified,
      yes: errors.length === 0,
      render: page => errorsPage(title, errors, page),
    }
  },
})

const failureClass = 'required_decision_verify_invalid'
const bad = (why: string) => refused(failureClass, why)

function claimIn(input: JsonObject): DecisionClaim | InstructionRefusal {
  const { decision } = input
  if (!isJsonObject(decision)) return bad('decision is missing or not an object')
  return allRead({
    decision,
    witness: objectIn(input, 'witness'),
    deltaSnapshot: objectIn(input, 'deltaSnapshot'),
    actualWitnessSha256: textIn(input, 'actualWitnessSha256'),
    actualDeltaSha256: textIn(input, 'actualDeltaSha256'),
  })
}

function objectIn(input: JsonObject, name: string) {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  return isJsonObject(value) ? value : bad(`${name} is not an object`)
}

const textIn = (input: JsonObject, name: string) =>
  isGiven(input, name) && input[name] !== null
    ? textOf(input[name], { at: name, failureClass })
    : undefined
