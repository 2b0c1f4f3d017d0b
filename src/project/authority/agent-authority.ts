/** Whoever acts under an instruction: its witness and that of the turn are opened, never believed. */

import { Fault } from '../../fault.ts'
import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import type { MutationPolicy } from '../../kernel/authority/mutation-policy.ts'
import { commandRefusal, isGoverned } from '../../kernel/governance/policy-standing.ts'
import { isInstructionId } from '../../kernel/instruction/instruction-id.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { isJsonObject, type Json } from '../../kernel/json.ts'
import { openWitness, witnessFolder } from '../../kernel/proof/witness.ts'
import { noEvidence, openTurn } from '../../kernel/turn/join-witness.ts'
import type { OperationContext } from '../context.ts'
import { schemaComplaints } from '../gate/schema-complaints.ts'
import { resolvePath } from '../paths.ts'
import { logWhereGoverned, notInForce } from '../policies/governed-files.ts'
import { instructionPolicies } from '../policies/instruction-policies.ts'
import { policyDigestOf } from '../policy-file.ts'
import { witnessBytesMax } from '../proofs/witness-file.ts'
import { registryClaims } from '../registry.ts'
import { projectFolderHere } from '../root.ts'
import { readSmall, smallDocument, Unreadable } from '../small-document.ts'
import type { AgentInput } from './agent-fields.ts'

export async function agentAuthority(
  instructionId: string,
  { joinWitness }: AgentInput,
  { root, policy }: { readonly root: string; readonly policy: MutationPolicy },
  context: OperationContext,
): Promise<AgentGrant | IssueRefusal> {
  if (!isInstructionId(instructionId)) {
    throw new Fault(
      'usage',
      `${JSON.stringify(instructionId)} cannot be the id of an instruction`,
      {
        hint: 'It is the name of its file without .json: --instruction 20260221T000000Z-fix.',
      },
    )
  }
  const log = await logWhereGoverned(root, context)
  const unpromoted = await notInForce(root, log, context)
  if (unpromoted) return unpromoted
  const path = `${witnessFolder}/${instructionId}.json`
  const witness = await plainDocument(path, root, context)
  if (witness instanceof Unreadable) {
    const remedy = 'premath instruction-run makes one.'
    return refuse('instruction_witness_missing', `${path}: ${witness.why}`, remedy)
  }
  const terms = { now: context.clock.now(), ttlSeconds: policy.witnessTtlSeconds }
  const registry = await instructionPolicies(root, context)
  const envelope = await instructionOf(witness, root, context)
  if (envelope instanceof Unreadable) {
    // What only a refusal needs is loaded for one.
    const { elsewhereRemedy } = await import('./instruction-elsewhere.ts')
    const remedy =
      (await elsewhereRemedy(refIn(witness), root, context)) ??
      'Put the instruction back, or run it where it lies now: premath instruction-run.'
    return refuse('instruction_witness_invalid', `${path}: ${envelope.why}`, remedy)
  }
  const ground = { ...terms, registry, envelope, sha256: context.sha256 }
  const grant = AgentGrant.accept(witness, path, ground)
  if (isRefusal(grant)) return grant
  const otherCheck = commandRefusal(grant.instruction, log, context.sha256)
  if (otherCheck) return otherCheck
  const named = joinWitness ?? grant.instruction.joinWitnessRef
  if (named === undefined) return grant
  const turn = await turnAt(named, grant, { root, policy, ...terms }, context)
  return isRefusal(turn) ? turn : grant.withTurn(turn, named)
}

/**
 * Whoever can write a witness can seal one: what it says has to follow from the instruction, which
 * lies in the worktree that it was run in, or in the main one.
 */
async function instructionOf(
  witness: Json,
  root: string,
  context: OperationContext,
): Promise<Json | Unreadable> {
  const ref = refIn(witness)
  if (ref === undefined) return new Unreadable('it does not say where its instruction lies')
  const folders = new Set([await projectFolderHere(context, root), root])
  const paths = [...folders].map(folder => resolvePath(folder, ref))
  for (const path of paths) {
    if ((await context.files.kindOf(path)) === 'file') return await smallDocument(path, context)
  }
  return new Unreadable(`its instruction ${ref} is not here`)
}

function refIn(witness: Json): string | undefined {
  const ref = isJsonObject(witness) ? witness['instructionRef'] : undefined
  return typeof ref === 'string' ? ref : undefined
}

async function turnAt(
  ref: string,
  grant: AgentGrant,
  {
    root,
    policy,
    ...terms
  }: {
    readonly root: string
    readonly policy: MutationPolicy
    readonly now: bigint
    readonly ttlSeconds: number
  },
  context: OperationContext,
) {
  const { sha256 } = context
  const path = ref.startsWith(`${root}/`) ? ref.slice(root.length + 1) : ref
  if (!/^artifacts\/ciwitness\/join\/[0-9a-f]{64}\.json$/.test(path)) {
    return noEvidence(`${ref} is not where witnesses of turns lie`)
  }
  const text = await plainText(path, root, context)
  if (text instanceof Unreadable) return noEvidence(`${path}: ${text.why}`)
  const opened = openWitness('join', { path, text }, sha256)
  if (opened === undefined) return noEvidence(`${path} is not what its digest says`)
  const claims = { registryClaims: await registryClaims(context, root) }
  const mutationPolicyDigest = policyDigestOf(policy, context)
  const pinned = isGoverned(claims) ? { policyInForce: mutationPolicyDigest } : {}
  const kit = { sha256, ...claims, ...pinned, schemaComplaints }
  return openTurn(opened.value, grant, { kit, mutationPolicyDigest, ...terms })
}

const plainDocument = async (path: string, root: string, context: OperationContext) =>
  (await notPlain(path, root, context)) ??
  (await smallDocument(`${root}/${path}`, context, witnessBytesMax))

const plainText = async (path: string, root: string, context: OperationContext) =>
  (await notPlain(path, root, context)) ??
  (await readSmall(`${root}/${path}`, context, witnessBytesMax))

/** What a link leads to was written by somebody else, and a pipe would be waited for. */
async function notPlain(
  path: string,
  root: string,
  context: OperationContext,
): Promise<Unreadable | undefined> {
  const disk = await context.disk()
  const direct = `${await disk.realPath(root)}/${path}`
  if ((await disk.realPath(`${root}/${path}`)) !== direct) {
    return new Unreadable('it lies behind a symbolic link')
  }
  const entry = await disk.entry(direct)
  return entry?.kind === 'other' ? new Unreadable('it is no plain file') : undefined
}
