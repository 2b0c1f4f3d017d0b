import type { Sha256 } from '../kernel/canonical.ts'
import { type IssueRefusal, isRefusal } from '../kernel/issues/issue-refusal.ts'
import type { ProofPart } from '../kernel/proof/proof-chain.ts'
import type { Authority } from '../store/issue-store.ts'
import {
  type ClosingTurn,
  type GatheredProof,
  gatherProof,
  type ProofStore,
} from '../store/proof-store.ts'
import type { ProofChain } from '../wire/proof/proof-chain.ts'

interface MemoryProof {
  readonly chain: ProofChain
  readonly parts: readonly ProofPart[]
}

export class MemoryProofStore implements ProofStore {
  /** The proofs of each issue, the oldest first. */
  readonly proofs = new Map<string, readonly MemoryProof[]>()
  readonly #witnesses: ReadonlyMap<string, string>
  readonly #sha256: Sha256

  /** Takes the texts of witnesses by path. */
  constructor(witnesses: ReadonlyMap<string, string>, sha256: Sha256) {
    this.#witnesses = witnesses
    this.#sha256 = sha256
  }

  async gather(closing: ClosingTurn, authority: Authority): Promise<GatheredProof | IssueRefusal> {
    const textAt = async (path: string) => this.#witnesses.get(path)
    const proof = await gatherProof(closing, authority, textAt, this.#sha256)
    if (isRefusal(proof)) return proof
    const { issueId } = proof.chain
    const keep = async () => {
      this.proofs.set(issueId, [...(this.proofs.get(issueId) ?? []), proof])
    }
    return { chain: proof.chain, keep }
  }

  async holds(issueId: string, chainDigest: string): Promise<boolean> {
    const kept = this.proofs.get(issueId) ?? []
    return kept.some(({ chain }) => chain.chainDigest === chainDigest)
  }

  async reread(issueId: string, chainDigest: string): Promise<string | undefined> {
    return (await this.holds(issueId, chainDigest)) ? chainDigest : undefined
  }

  /** Nothing takes a proof from memory. */
  async restore(): Promise<boolean> {
    return false
  }

  async remove(issueId: string, chainDigest: string): Promise<void> {
    const kept = this.proofs.get(issueId) ?? []
    const others = kept.filter(({ chain }) => chain.chainDigest !== chainDigest)
    this.proofs.set(issueId, others)
  }

  /** An interrupted close leaves nothing here. */
  async tidy(): Promise<void> {}
}
