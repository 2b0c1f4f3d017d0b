/**
 * The refs by which a turn is linked to its project, and what each must name there. The door of a
 * mutation resolves them; the join check does not, because a turn alone may belong to any project.
 */
import { instructionRef, proofNamed } from '../harness/step/witness-ref.ts'
import { isInstructionId, isRunInstructionId } from '../instruction/instruction-id.ts'
import { witnessFolder } from '../proof/witness.ts'
import { rowAt } from './evidence/read-row.ts'
import type { Turn, UseRow } from './turn.ts'

/** What to look for, in the way that costs least. `nothing` cannot be resolved. */
export type RefTarget =
  | { readonly is: 'nothing' }
  | { readonly is: 'part of the turn' }
  | { readonly is: 'session' | 'file'; readonly path: string }
  | { readonly is: 'step'; readonly stepId: string }
  | { readonly is: 'witness'; readonly ref: string }
  | { readonly is: 'proof'; readonly issueId: string; readonly chainDigest: string }
  | { readonly is: 'artifact'; readonly path: string; readonly digest: string }
  | {
      readonly is: 'message'
      readonly path: string
      readonly digest: string
      readonly message: string
    }

export interface TurnRef {
  readonly at: string
  readonly ref: string
  /** What the ref should name, for people. */
  readonly noun: string
  readonly target: RefTarget
}

const useRefs = ['summaryRef', 'handoffRef', 'mutationInputRef'] as const

export function turnRefs(turn: Turn): readonly TurnRef[] {
  return [
    ...turn.sessionRefs.map(ref => ({
      at: 'evidence.sessionRefs',
      ref,
      noun: 'session',
      target: stored(turn, ref) ?? atPath('session', ref),
    })),
    ...turn.trajectoryRefs.map(ref => ({
      at: 'evidence.trajectoryRefs',
      ref,
      noun: 'step',
      target: stepNamed(ref),
    })),
    ...turn.uses.flatMap(use => usesOf(turn, use)),
  ]
}

const usesOf = (turn: Turn, use: UseRow): readonly TurnRef[] =>
  useRefs.flatMap(name => {
    const ref = use[name]
    if (ref === undefined) return []
    const at = `${rowAt('evidence.toolUse', use.toolCallId)}.${name}`
    return [{ at, ref, noun: 'artifact', target: useTarget(turn, use, ref) }]
  })

function useTarget(turn: Turn, { toolCallId }: UseRow, ref: string): RefTarget {
  const { issueId } = turn.claims.mutation ?? {}
  const isIssue = issueId !== undefined && [`issue://${issueId}`, `issue/${issueId}`].includes(ref)
  // A result that was used for itself was used for nothing.
  const isCall = ref !== toolCallId && turn.joinState.resultCallIds.includes(ref)
  if (isIssue || isCall) return { is: 'part of the turn' }
  if (ref.startsWith('witness://')) return { is: 'witness', ref }
  if (ref.startsWith('step://')) return stepNamed(ref)
  const proof = proofNamed(ref)
  if (proof) return { is: 'proof', ...proof }
  return stored(turn, ref) ?? messageIn(turn, ref) ?? instructionNamed(ref) ?? atPath('file', ref)
}

/** A file that the turn names with its digest. */
function stored(turn: Turn, ref: string): Extract<RefTarget, { is: 'artifact' }> | undefined {
  const row = turn.extension.artifacts?.find(one => one.ref === ref)
  return row?.path !== undefined && row.digest !== undefined
    ? { is: 'artifact', path: row.path, digest: row.digest }
    : undefined
}

/** `transcript://<session>/<message>`, where the turn names the transcript with its digest. */
function messageIn(turn: Turn, ref: string): RefTarget | undefined {
  const [, session, message] = /^(transcript:\/\/[^/]+)\/(.+)$/.exec(ref) ?? []
  if (session === undefined || message === undefined) return undefined
  const transcript = stored(turn, session)
  return transcript ? { ...transcript, is: 'message', message } : { is: 'nothing' }
}

function instructionNamed(ref: string): RefTarget | undefined {
  const scheme = instructionRef('')
  if (!ref.startsWith(scheme)) return undefined
  const id = ref.slice(scheme.length)
  return isInstructionId(id) || isRunInstructionId(id)
    ? { is: 'file', path: `${witnessFolder}/${id}.json` }
    : { is: 'nothing' }
}

const stepNamed = (ref: string): RefTarget => ({
  is: 'step',
  stepId: ref.replace(/^step:\/\//, ''),
})

/** A scheme that the project does not know names nothing in it. */
const atPath = (is: 'session' | 'file', ref: string): RefTarget =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(ref) ? { is: 'nothing' } : { is, path: ref }
