/** An agent's authority: an accepted instruction and the closed turn of the change. */
import type { InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import type { CallOrigin } from '../../wire/issue/call-origin.ts'
import type { Sha256 } from '../canonical.ts'
import type { PolicyRegistry } from '../instruction/instruction-policy.ts'
import { type InstructionRefusal, isRefused } from '../instruction/instruction-refusal.ts'
import { mutationsAllowed, type ScopeMutation } from '../instruction/scope-mutations.ts'
import { checkWitness } from '../instruction/witness-check.ts'
import { type IssueRefusal, refuse } from '../issues/issue-refusal.ts'
import { isJsonObject, type Json } from '../json.ts'
import { shellWord } from '../text/shell-word.ts'
import { instantOf, seconds } from '../timestamp.ts'
import type { MutationReady } from '../turn/mutation-ready.ts'

/** Module-private: a TypeScript `private` constructor is open at run time. */
const maker = Symbol('AgentGrant')

export interface WitnessTerms {
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** The maximum age of a witness. */
  readonly ttlSeconds: number
}

interface InstructionGround extends WitnessTerms {
  readonly registry: PolicyRegistry | InstructionRefusal
  /** The instruction; its witness is recomputed from it. */
  readonly envelope?: Json
  readonly sha256: Sha256
}

/** The allowed difference between the clocks of two machines. */
const skewSeconds = 300

/** Refuses a witness that is too old or from the future. */
export function ageRefusal(
  what: string,
  time: string,
  { now, ttlSeconds }: WitnessTerms,
): IssueRefusal | undefined {
  const at = instantOf(time)
  const remedy = 'Make a new one.'
  if (at === undefined || at > now + seconds(skewSeconds)) {
    return refuse('instruction_expired', `${what} is from ${time}, which is in the future`, remedy)
  }
  if (now - at <= seconds(ttlSeconds)) return undefined
  return refuse('instruction_expired', `${what} is older than ${ttlSeconds} seconds`, remedy)
}

/** The fault is in these files, so running the instruction again would not help. */
const folderRemedy = ({ files }: InstructionRefusal) =>
  `Fix ${files.join(' or ')}, or remove it. No policy counts while one cannot be read.`

interface GrantParts {
  readonly instruction: InstructionWitness
  readonly witnessPath: string
  readonly terms: Pick<WitnessTerms, 'ttlSeconds'>
  readonly turn?: MutationReady | undefined
  readonly joinWitnessRef?: string | undefined
  readonly origin?: CallOrigin | undefined
}

export class AgentGrant {
  readonly #issued = true
  readonly instruction: InstructionWitness
  /** The path of its witness. */
  readonly witnessPath: string
  readonly mutations: readonly ScopeMutation[]
  readonly terms: Pick<WitnessTerms, 'ttlSeconds'>
  readonly turn: MutationReady | undefined
  /** The path of the turn witness. */
  readonly joinWitnessRef: string | undefined
  /** The tool call that asks, as its host names it. */
  readonly origin: CallOrigin | undefined

  private constructor(key: typeof maker, parts: GrantParts) {
    if (key !== maker) throw new TypeError('an AgentGrant is made from an accepted instruction')
    this.instruction = parts.instruction
    this.witnessPath = parts.witnessPath
    this.mutations = mutationsAllowed(parts.instruction)
    this.terms = parts.terms
    this.turn = parts.turn
    this.joinWitnessRef = parts.joinWitnessRef
    this.origin = parts.origin
    Object.freeze(this)
  }

  /** Recomputes everything the witness states. */
  static accept(
    witness: Json,
    witnessPath: string,
    ground: InstructionGround,
  ): AgentGrant | IssueRefusal {
    const [finding] = checkWitness(witness, ground)
    if (finding?.failureClass === 'instruction_unknown_policy') {
      const remedy = 'Register the policy in policies/instruction/, or write a new instruction.'
      return refuse('instruction_policy_unknown', `${witnessPath}: ${finding.message}`, remedy)
    }
    const { registry } = ground
    if (isRefused(registry) && finding?.failureClass === registry.failureClass) {
      return refuse('instruction_policy_unknown', registry.message, folderRemedy(registry))
    }
    if (finding !== undefined) {
      const what = finding.at === '' ? finding.message : `${finding.at} ${finding.message}`
      const remedy = `Run the instruction again: premath instruction-run --instruction ${fileIn(witness)}.`
      return refuse('instruction_witness_invalid', `${witnessPath}: ${what}`, remedy)
    }
    const instruction = witness as unknown as InstructionWitness
    const { verdictClass, failureClasses, runFinishedAt } = instruction
    if (verdictClass !== 'accepted') {
      const why = `the instruction was rejected: ${failureClasses.join(', ')}`
      return refuse('instruction_not_accepted', why, 'Fix the named problem, and run it again.')
    }
    const { ttlSeconds } = ground
    const aged = ageRefusal(witnessPath, runFinishedAt, ground)
    return aged ?? new AgentGrant(maker, { instruction, witnessPath, terms: { ttlSeconds } })
  }

  /** The same grant with a turn that vouches for changes. */
  withTurn(turn: MutationReady, joinWitnessRef: string): AgentGrant {
    return new AgentGrant(maker, { ...this, turn, joinWitnessRef })
  }

  /** The same grant for one call, which the evidence names. */
  askedBy(origin: CallOrigin | undefined): AgentGrant {
    return new AgentGrant(maker, { ...this, origin })
  }

  /** For callers outside TypeScript. */
  static isIssued(value: object): value is AgentGrant {
    return #issued in value && value.#issued
  }
}

/** The instruction of a witness that says where it lies. */
function fileIn(witness: Json): string {
  const ref = isJsonObject(witness) ? witness['instructionRef'] : undefined
  return typeof ref === 'string' ? shellWord(ref) : '<file>'
}
