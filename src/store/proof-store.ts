/** The proofs of closed issues: for each close, copies of the witnesses that it rests on. */
import { AgentGrant } from '../kernel/authority/agent-grant.ts'
import type { Sha256 } from '../kernel/canonical.ts'
import { type IssueRefusal, refuse } from '../kernel/issues/issue-refusal.ts'
import {
  type Closing,
  type LinkKind,
  linkFile,
  type ProofPart,
  proofChain,
} from '../kernel/proof/proof-chain.ts'
import { openedAs } from '../kernel/proof/proof-check.ts'
import type { ProofChain } from '../wire/proof/proof-chain.ts'
import type { Authority } from './issue-store.ts'

export interface ClosingTurn extends Closing {
  /** The path of the witness of the turn. */
  readonly turn: string | undefined
}

/** A proof that was read and checked, and is not written yet. */
export interface GatheredProof {
  readonly chain: ProofChain
  /** Durable when it returns. Called before the row of the close or the landing is written. */
  keep(): Promise<void>
}

/** Called while other writers of issue memory are kept out. */
export interface ProofStore {
  /** Reads the witnesses again: one that is gone or changed proves nothing any more. */
  gather(closing: ClosingTurn, authority: Authority): Promise<GatheredProof | IssueRefusal>
  /** Whether the chain is still kept. */
  holds(issueId: string, chainDigest: string): Promise<boolean>
  /** The digest of the chain as it is kept now, computed again; `undefined` if it is gone. */
  reread(issueId: string, chainDigest: string): Promise<string | undefined>
  /** Writes a proof again that the work tree lost, as a reset takes it with its row. */
  restore(issueId: string, chainDigest: string): Promise<boolean>
  /** Removes the chain of a landing that was undone, and the copies that no other chain names. */
  remove(issueId: string, chainDigest: string): Promise<void>
  /** Removes files that an interrupted close left. */
  tidy(issueId: string): Promise<void>
}

/** The chain of a close and the witnesses that it names, read through `textAt`. */
export async function gatherProof(
  closing: ClosingTurn,
  authority: Authority,
  textAt: (path: string) => Promise<string | undefined>,
  sha256: Sha256,
): Promise<{ readonly chain: ProofChain; readonly parts: readonly ProofPart[] } | IssueRefusal> {
  const parts: ProofPart[] = []
  for (const { kind, path, digest } of witnessesOf(closing, authority)) {
    const text = await textAt(path)
    const value = text === undefined ? undefined : openedAs(kind, digest, text, sha256)
    if (text === undefined || value === undefined) return missingWitness(path)
    parts.push({ kind, digest, file: linkFile(kind, digest, sha256(text)), text, value })
  }
  return { chain: proofChain(closing, parts, sha256), parts }
}

interface NamedWitness {
  readonly kind: LinkKind
  readonly path: string
  readonly digest: string
}

/** In the order in which they were made: instruction, turn, verification. */
function witnessesOf({ done, turn }: ClosingTurn, authority: Authority): readonly NamedWitness[] {
  const agent = AgentGrant.isIssued(authority) ? authority : undefined
  const instruction = agent && {
    kind: 'instruction' as const,
    path: agent.witnessPath,
    digest: digestIn(agent.instruction.witnessDigest),
  }
  const join = agent?.joinWitnessRef || turn
  const verified = done.by === 'specs' ? 'spec' : 'verify'
  const named = (kind: LinkKind, path: string) => ({ kind, path, digest: digestIn(path) })
  return [
    ...(instruction ? [instruction] : []),
    ...(join ? [named('join', join)] : []),
    ...done.witnesses.map(path => named(verified, path)),
  ]
}

const digestShape = /([0-9a-f]{64})(?:\.json)?$/
const digestIn = (text: string) => digestShape.exec(text)?.[1] ?? ''

const missingWitness = (path: string) =>
  refuse(
    'close_proof_missing',
    `${path} is missing or was changed`,
    'Verify the issue again, then close it.',
  )
