/** Admission of a change to issue memory: the part of `IssueStore.mutate` that all backends share. */

import type { UsedGrants } from '../kernel/authority/agent-admission.ts'
import { OperatorGrant } from '../kernel/authority/operator-grant.ts'
import { withOverride } from '../kernel/authority/override.ts'
import { decideChange, type IssueChange, type IssueChanged } from '../kernel/issues/issue-change.ts'
import { IssueMemory } from '../kernel/issues/issue-memory.ts'
import { type IssueRefusal, isRefusal, refuse } from '../kernel/issues/issue-refusal.ts'
import { landingOf } from '../kernel/issues/landing/landing-state.ts'
import { withChain } from '../kernel/proof/proof-chain.ts'
import type { InstructionUse } from '../wire/instruction/instruction-use.ts'
import type { Clock } from '../world/world.ts'
import { type Authority, missingMemory } from './issue-store.ts'
import type { GatheredProof, ProofStore } from './proof-store.ts'

/** The entries of instructions that were used. Called while other writers are kept out. */
export interface InstructionUses {
  usedOf(instructionDigest: string, turn: string | undefined): Promise<UsedGrants>
  /** Durable when it returns. */
  add(instructionDigest: string, use: InstructionUse): Promise<void>
}

export interface AdmissionOptions {
  readonly clock: Pick<Clock, 'now'>
  /** Returns a free id for a new issue. The default counts: `bd-1`, `bd-2`. */
  readonly newId?: ((memory: IssueMemory, now: bigint) => string) | undefined
  /** Keeps the proofs of closed issues. Loaded at the first close; without it no proof is kept. */
  proofs?(): Promise<ProofStore>
}

export class Admission {
  readonly #options: AdmissionOptions
  readonly #uses: InstructionUses

  constructor(options: AdmissionOptions, uses: InstructionUses) {
    this.#options = options
    this.#uses = uses
  }

  /** The refusal of an authority that does not cover the change, whatever memory holds. */
  async refusal(authority: Authority, change: IssueChange): Promise<IssueRefusal | undefined> {
    if (OperatorGrant.isIssued(authority)) return undefined
    return (await agentAdmissions()).agentRefusal(authority, change)
  }

  /** The refusal of an authority that does not cover replacing all rows. */
  async refusalToReplace(authority: Authority): Promise<IssueRefusal | undefined> {
    if (OperatorGrant.isIssued(authority)) return undefined
    return (await agentAdmissions()).agentRefusalToReplace(authority)
  }

  /** Decides on a memory that does not exist yet, before anything is created for it. */
  refusalToCreate(change: IssueChange, location: string): IssueRefusal | undefined {
    const creates = change.action === 'issue.add' || change.action === 'issue.import'
    if (!creates) throw missingMemory(location)
    const decided = this.#decide(new IssueMemory(), change)
    return isRefusal(decided) ? decided : undefined
  }

  /**
   * Decides on memory as it is, while other writers are kept out. When this returns rows, the proof of
   * a close and the used entry of an instruction are durable: after a crash an entry may be used
   * without its change, but no change is made twice, and no issue is closed without its proof. The
   * proof of a landing that is undone is gone by then, so no open issue keeps it.
   */
  async admit(
    authority: Authority,
    change: IssueChange,
    memory: IssueMemory,
  ): Promise<IssueChanged | IssueRefusal> {
    const decided = this.#decide(memory, change)
    if (isRefusal(decided)) return decided
    if ('asks' in change && change.asks) return await this.#asked(authority, change, decided)
    if (decided.rows.length === 0) return decided
    const proof =
      (await this.#lostProof(change, memory)) ??
      (await this.#proofOf(authority, change, decided, memory))
    if (proof && isRefusal(proof)) return proof
    const proven = proof ? withChain(decided, proof.chain) : decided
    const admitted = await this.#vouch(authority, change, proven)
    if (isRefusal(admitted)) return admitted
    await proof?.keep()
    await this.#dropProof(change, memory)
    return admitted
  }

  #decide(memory: IssueMemory, change: IssueChange): IssueChanged | IssueRefusal {
    const now = this.#options.clock.now()
    const newId = this.#options.newId ?? (known => known.nextCountedId('bd'))
    return decideChange(memory, change, { now, newId: known => newId(known, now) })
  }

  /** Answers as `#vouch` would, and uses nothing up. */
  async #asked(
    authority: Authority,
    change: IssueChange,
    decided: IssueChanged,
  ): Promise<IssueChanged | IssueRefusal> {
    if (OperatorGrant.isIssued(authority)) return decided
    const { admittedByAgent } = await agentAdmissions()
    const now = this.#options.clock.now()
    const admitted = await admittedByAgent(authority, { change, now, uses: this.#uses })
    return admitted && isRefusal(admitted) ? admitted : decided
  }

  /** Records the caller in the rows, and uses up an entry of an agent's instruction. */
  async #vouch(
    authority: Authority,
    change: IssueChange,
    decided: IssueChanged,
  ): Promise<IssueChanged | IssueRefusal> {
    if (OperatorGrant.isIssued(authority)) return withOverride(decided, authority)
    const { vouchedByAgent } = await agentAdmissions()
    const now = this.#options.clock.now()
    return await vouchedByAgent(authority, decided, { change, now, uses: this.#uses })
  }

  async #proofOf(
    authority: Authority,
    change: IssueChange,
    { issue: after }: IssueChanged,
    memory: IssueMemory,
  ): Promise<GatheredProof | IssueRefusal | undefined> {
    const { proofs } = this.#options
    if (change.action !== 'issue.update' && change.action !== 'issue.land_begin') return undefined
    const { done, turn } = change
    if (proofs === undefined || after === undefined || done === undefined) return undefined
    const before = memory.get(change.id)
    const closes = after.status === 'closed' && before?.status !== 'closed'
    if (!closes && change.action !== 'issue.land_begin') return undefined
    return await (await proofs()).gather({ before, after, done, turn }, authority)
  }

  /** The refusal of a landing whose proof is gone: it would close without one. */
  async #lostProof(change: IssueChange, memory: IssueMemory): Promise<IssueRefusal | undefined> {
    if (change.action !== 'issue.land_finish') return undefined
    const kept = await this.#landingProof(change.id, memory)
    if (kept === undefined || (await kept.proofs.holds(change.id, kept.chain))) return undefined
    return refuse(
      'close_proof_missing',
      `${change.id} landed, and its proof is missing`,
      `Verify its commit again: premath land ${change.id} --as ${change.landed.commit}.`,
    )
  }

  async #dropProof(change: IssueChange, memory: IssueMemory): Promise<void> {
    if (change.action !== 'issue.land_undo') return
    const kept = await this.#landingProof(change.id, memory)
    await kept?.proofs.remove(change.id, kept.chain)
  }

  /** The chain that the landing of an issue names, and the store that keeps it. */
  async #landingProof(id: string, memory: IssueMemory) {
    const issue = memory.get(id)
    const landing = issue && landingOf(issue)
    // The proof of a revert is the one of the close before, which stays however the revert ends.
    const chain = landing?.revert ? undefined : landing?.close['chain']
    const { proofs } = this.#options
    return proofs && typeof chain === 'string' ? { proofs: await proofs(), chain } : undefined
  }
}

/** Loaded when an agent acts: it needs the gate, and people change issues without it. */
const agentAdmissions = () => import('./agent-admission.ts')
