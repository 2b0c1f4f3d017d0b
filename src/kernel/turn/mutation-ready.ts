import type { Digest } from '../canonical.ts'
import type { Json } from '../json.ts'
import { type Finding, joinTurn } from './join.ts'
import type { Demand } from './mutation-demand.ts'
import { normalizeTurn } from './normalize.ts'
import type { Kit } from './rules/rule.ts'
import type { TurnRef } from './turn-refs.ts'
import { witnessDigest } from './witness.ts'

/** The gate's refusal. Issue memory does not change; projections may still be written. */
export interface Refusal {
  readonly ready: false
  readonly findings: readonly Finding[]
  readonly unmet: readonly Demand[]
  /** Refs that name nothing in the project. */
  readonly unresolved: readonly TurnRef[]
}

/** Module-private: a TypeScript `private` constructor is open at run time. */
const maker = Symbol('MutationReady.gate')

/**
 * Proof that one turn may change issue memory (HARNESS-TYPESTATE §6). Only `gate` creates it, and
 * it judges the evidence itself. A function that takes a `MutationReady` therefore cannot be called
 * for an open turn.
 */
export class MutationReady {
  /** Makes the type nominal: an object literal with the same fields is not a proof. */
  readonly #issued = true
  readonly ready = true
  readonly callId: string
  readonly action: string
  readonly issueId: string | undefined
  readonly witnessDigest: Digest

  private constructor(
    by: typeof maker,
    callId: string,
    action: string,
    issueId: string | undefined,
    witnessDigest: Digest,
  ) {
    if (by !== maker) throw new TypeError('only MutationReady.gate makes a MutationReady')
    this.callId = callId
    this.action = action
    this.issueId = issueId
    this.witnessDigest = witnessDigest
    Object.freeze(this)
  }

  /** Throws the same `Fault` as `normalizeTurn` if the input is not a turn. */
  static gate(input: Json, kit: Kit): MutationReady | Refusal {
    const turn = normalizeTurn(input, kit)
    const join = joinTurn(turn, kit)
    const { mutation } = turn.claims
    const { unresolvedRefs: unresolved = [] } = kit
    const isAsked = mutation?.action !== undefined && turn.callSpec.callId !== undefined
    if (!join.mutationReady || !isAsked || unresolved.length > 0) {
      return { ready: false, findings: join.findings, unmet: join.unmet, unresolved }
    }
    const digest = witnessDigest(turn, join, kit.sha256)
    return new MutationReady(maker, turn.callSpec.callId, mutation.action, mutation.issueId, digest)
  }

  /** For callers outside TypeScript. */
  static isIssued(value: object): value is MutationReady {
    return #issued in value && value.#issued
  }
}
