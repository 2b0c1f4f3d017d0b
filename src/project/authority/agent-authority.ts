/** The authority of an agent. Its witnesses are opened and computed again, never believed. */
import { Fault } from '../../fault.ts'
import { AgentGrant, type WitnessTerms } from '../../kernel/authority/agent-grant.ts'
import { mutationPolicyDigest } from '../../kernel/authority/mutation-policy.ts'
import { digestOf } from '../../kernel/canonical.ts'
import { commandRefusal, isInstructionInForce } from '../../kernel/governance/policy-standing.ts'
import { isInstructionId } from '../../kernel/instruction/instruction-id.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { isJsonObject, type Json, jsonIn } from '../../kernel/json.ts'
import { openWitness, witnessFolder } from '../../kernel/proof/witness.ts'
import { noEvidence, openTurn } from '../../kernel/turn/join-witness.ts'
import { unresolvedRefs } from '../gate/resolve-refs.ts'
import { schemaComplaints } from '../gate/schema-complaints.ts'
import type { Project } from '../open.ts'
import { resolvePath } from '../paths.ts'
import { notInForce } from '../policies/governed-files.ts'
import { instructionPolicies } from '../policies/instruction-policies.ts'
import { witnessBytesMax } from '../proofs/witness-file.ts'
import { readSmall, smallDocument, Unreadable } from '../small-document.ts'
import type { Asking } from './authority.ts'
import { textOnTarget } from './on-target.ts'

export async function agentAuthority(
  instructionId: string,
  { joinWitness, knownRefs }: Pick<Asking, 'joinWitness' | 'knownRefs'>,
  project: Project,
): Promise<AgentGrant | IssueRefusal> {
  if (!isInstructionId(instructionId)) throw badInstructionId(instructionId)
  const { root, sha256 } = project
  const log = (await project.isGoverned())
    ? await project.policyLog()
    : { entries: [], registryClaims: await project.claims() }
  const unpromoted = await notInForce(project, log)
  if (unpromoted) return unpromoted
  const path = `${witnessFolder}/${instructionId}.json`
  const witness = await plainDocument(path, project)
  if (witness instanceof Unreadable) {
    const remedy = `premath instruction-run --instruction instructions/${instructionId}.json makes one.`
    return refuse('instruction_witness_missing', `${path}: ${witness.why}`, remedy)
  }
  const { witnessTtlSeconds: ttlSeconds } = await project.policy()
  const terms = { now: project.clock.now(), ttlSeconds }
  const registry = await instructionPolicies(root, project)
  const envelope = await instructionOf(witness, project)
  if (envelope instanceof Unreadable) {
    const remedy =
      (await elsewhereRemedy(refIn(witness), project)) ??
      'Put the instruction back, or run it where it lies now: premath instruction-run --instruction <file>.'
    return refuse('instruction_witness_invalid', `${path}: ${envelope.why}`, remedy)
  }
  const accepted = AgentGrant.accept(witness, path, { ...terms, registry, envelope, sha256 })
  if (isRefusal(accepted)) return accepted
  const grant = accepted.askedBy(project.origin)
  const otherCheck = commandRefusal(grant.instruction, log, sha256)
  if (otherCheck) return otherCheck
  const unknown = await notInForceOnTarget(envelope, refIn(witness) ?? '', project)
  if (unknown) return unknown
  const named = joinWitness ?? grant.instruction.joinWitnessRef
  if (named === undefined) return grant
  const turn = await turnAt(named, grant, { ...terms, knownRefs }, project)
  return isRefusal(turn) ? turn : grant.withTurn(turn, named)
}

const badInstructionId = (instructionId: string) =>
  new Fault('usage', `${JSON.stringify(instructionId)} cannot be the id of an instruction`, {
    hint: 'It is the name of its file without .json: --instruction 20260221T000000Z-fix.',
  })

/**
 * The instruction that the witness names, from this worktree or from the main one. Anybody who can
 * write a file can write a witness, so its content has to follow from the instruction.
 */
async function instructionOf(witness: Json, project: Project): Promise<Json | Unreadable> {
  const ref = refIn(witness)
  if (ref === undefined) return new Unreadable('it does not say where its instruction lies')
  const folders = new Set([await project.folderHere(), project.root])
  for (const folder of folders) {
    const path = resolvePath(folder, ref)
    if ((await project.files.kindOf(path)) === 'file') return await smallDocument(path, project)
  }
  return new Unreadable(`its instruction ${ref} is not here`)
}

function refIn(witness: Json): string | undefined {
  const ref = isJsonObject(witness) ? witness['instructionRef'] : undefined
  return typeof ref === 'string' ? ref : undefined
}

/**
 * Work can write a file, so a file of the working tree alone gives nobody authority. Without a
 * target, the file counts as it is.
 */
async function notInForceOnTarget(
  envelope: Json,
  ref: string,
  project: Project,
): Promise<IssueRefusal | undefined> {
  const digest = digestOf(envelope, project.sha256)
  const isSame = (text: string | null) => {
    const there = text === null ? undefined : jsonIn(text)
    return there !== undefined && digestOf(there, project.sha256) === digest
  }
  const text = await textOnTarget(ref, project)
  if (text === undefined || isSame(text)) return undefined
  const log = await project.policyLog()
  if (isInstructionInForce(digest, log)) return undefined
  const how = text === null ? 'is not in' : 'differs from'
  const why = `${ref} ${how} the commit of the target branch, and no person put it in force`
  const remedy = `Let a person commit it there before the work begins, or put it in force at a terminal: premath policy set --input ${ref} --reason <why>.`
  return refuse('instruction_not_in_force', why, remedy)
}

/** A hint if the instruction lies in another worktree, else `undefined`. */
async function elsewhereRemedy(
  ref: string | undefined,
  project: Project,
): Promise<string | undefined> {
  if (ref === undefined || ref.startsWith('/')) return undefined
  const worktrees = await worktreesOf(project)
  const main = worktrees.find(({ isMain }) => isMain)
  if (main === undefined) return undefined
  const real = await (await project.disk()).realPath(project.root)
  for (const { path: top } of worktrees) {
    const path = resolvePath(`${top}${real.slice(main.path.length)}`, ref)
    if ((await project.files.kindOf(path)) !== 'file') continue
    return `It lies in the worktree ${top} alone, and can be used only there. To use it everywhere, copy ${path} to ${project.at(ref)}.`
  }
  return undefined
}

/** None where git fails: the refusal stands without its remedy. */
async function worktreesOf({ root, disk, processes, env }: Project) {
  const { listWorktrees } = await import('../../harness/worktree/worktrees.ts')
  try {
    return await listWorktrees({ root, disk: await disk(), processes: await processes(), env })
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}

async function turnAt(
  ref: string,
  grant: AgentGrant,
  { knownRefs, ...terms }: WitnessTerms & Pick<Asking, 'knownRefs'>,
  project: Project,
) {
  const { root, sha256 } = project
  const path = ref.startsWith(`${root}/`) ? ref.slice(root.length + 1) : ref
  if (!/^artifacts\/ciwitness\/join\/[0-9a-f]{64}\.json$/.test(path)) {
    return noEvidence(`${ref} is not where witnesses of turns lie`)
  }
  const text = await plainText(path, project)
  if (text instanceof Unreadable) return noEvidence(`${path}: ${text.why}`)
  const opened = openWitness('join', { path, text }, sha256)
  if (opened === undefined) return noEvidence(`${path} is not what its digest says`)
  const digest = mutationPolicyDigest(await project.policy(), sha256)
  const pinned = (await project.isGoverned()) ? { policyInForce: digest } : {}
  const { evidence } = opened.value
  const unresolved = isJsonObject(evidence)
    ? await unresolvedRefs(evidence, project, knownRefs)
    : []
  const linked = { ...pinned, unresolvedRefs: unresolved }
  const kit = { sha256, registryClaims: await project.claims(), ...linked, schemaComplaints }
  return openTurn(opened.value, grant, { kit, mutationPolicyDigest: digest, ...terms })
}

const plainDocument = async (path: string, project: Project) =>
  (await notPlain(path, project)) ??
  (await smallDocument(`${project.root}/${path}`, project, witnessBytesMax))

const plainText = async (path: string, project: Project) =>
  (await notPlain(path, project)) ??
  (await readSmall(`${project.root}/${path}`, project, witnessBytesMax))

/** The target of a link may belong to someone else, and reading a pipe would block. */
async function notPlain(path: string, { root, disk: openDisk }: Project) {
  const disk = await openDisk()
  const direct = `${await disk.realPath(root)}/${path}`
  if ((await disk.realPath(`${root}/${path}`)) !== direct) {
    return new Unreadable('it lies behind a symbolic link')
  }
  const entry = await disk.entry(direct)
  return entry?.kind === 'other' ? new Unreadable('it is no plain file') : undefined
}
