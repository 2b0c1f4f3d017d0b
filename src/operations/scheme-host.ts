/** Carries out the host calls of programs. Each is recorded, whether it was accepted or refused. */

import { mutationPolicyDigest } from '../kernel/authority/mutation-policy.ts'
import { newInstruction } from '../kernel/authority/operator-grant.ts'
import { secondOf } from '../kernel/harness/artifact.ts'
import { BadStepRow, readStepRow } from '../kernel/harness/step/step-row.ts'
import { isRefusal } from '../kernel/issues/issue-refusal.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import { actionRefusal, type Transport } from '../kernel/scheme/host/host-action.ts'
import {
  argsDigestOf,
  effectStepId,
  effectWitnessRefs,
  type HostCall,
  hostEffect,
  resultClassOf,
} from '../kernel/scheme/host/host-effect.ts'
import { type HostRefusal, refusal } from '../kernel/scheme/host/host-refusal.ts'
import type { Replay } from '../kernel/scheme/host/replay.ts'
import { isStepWork } from '../project/authority/authority.ts'
import type { OperationContext } from '../project/context.ts'
import { openProject } from '../project/open.ts'
import type { TrajectoryLog } from '../store/trajectory/trajectory-log.ts'
import type { HostEffect } from '../wire/scheme/host-effect.ts'
import { TimeSpan } from '../world/time-span.ts'
import { type Called, callExposed, isQuestion } from './call.ts'
import { type Exposed, exposed, namesOfFields } from './exposed.ts'
import { operations } from './index.ts'

/** What a caller says about a call beside its arguments. Nothing of it is believed. */
export interface CallMetadata {
  readonly callId?: string | undefined
  readonly issueId?: string | undefined
  readonly policyDigest?: string | undefined
  readonly instructionRef?: string | undefined
  readonly witnessRefs?: readonly string[] | undefined
  readonly lineageRefs?: readonly string[] | undefined
}

export interface HostOptions {
  readonly transport: Transport
  readonly stepPrefix: string
  /** From flags, over the program and under a call. */
  readonly metadata: CallMetadata
  /** Absent where the caller may not record steps. */
  readonly trajectory?: { readonly log: TrajectoryLog; readonly path: string } | undefined
  /** Answers calls in place of the operations. */
  readonly replay?: Replay | undefined
  /** Refuses more than the operations do. */
  readonly mayCall?:
    | ((action: string, isRead: boolean, args: JsonObject) => HostRefusal | undefined)
    | undefined
  /** Makes calls of these actions in another context, with more arguments. */
  readonly elsewhere?: ReadonlyMap<string, Elsewhere> | undefined
}

export interface Elsewhere {
  readonly context: OperationContext
  readonly args: JsonObject
}

/** A program inside of a program would have a budget of its own. */
const hosted = exposed.filter(({ command }) => command !== 'scheme-eval')

/** The actions that programs may call. */
export const hostActions: readonly string[] = hosted.map(({ action }) => action).toSorted()

/** A call that a recorded one does not answer. */
export class Difference {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** A program answers no question: it cannot confirm what only a person may. */
const unattended = { json: true, asker: () => undefined, confirmer: () => undefined }

type Bound = Pick<HostEffect, 'policyDigest' | 'instructionRef'>

const unbound: Bound = { policyDigest: null, instructionRef: null }

export class Host {
  readonly effects: HostEffect[] = []
  readonly #context: OperationContext
  readonly #options: HostOptions

  constructor(context: OperationContext, options: HostOptions) {
    const surface = options.transport === 'mcp' ? 'mcp' : context.surface
    this.#context = { ...context, surface, ...unattended }
    this.#options = options
  }

  async call(
    action: string,
    args: JsonObject,
    given: CallMetadata = {},
  ): Promise<HostEffect | Difference> {
    const { sha256, clock } = this.#context
    const number = this.effects.length + 1
    const callId = given.callId ?? `call-${number}`
    const call: HostCall = { callId, action, args, argsDigest: argsDigestOf(args, sha256), number }
    const recorded = this.#options.replay?.answer(call)
    if (typeof recorded === 'string') return new Difference(recorded)
    if (recorded !== undefined) {
      this.effects.push(recorded)
      return recorded
    }
    const span = new TimeSpan(clock)
    const metadata = { ...this.#options.metadata, ...definedOf(given) }
    const { bound, ...ended } = await this.#carryOut(call, metadata)
    const { witnessRefs: named = [] } = metadata
    const witnessRefs = effectWitnessRefs(call, named)
    const row = { call, metadata, bound, witnessRefs, span }
    const trajectoryRow = await this.#record(row, resultClassOf(ended.failureClasses))
    const effect = hostEffect(call, { ...ended, ...bound, witnessRefs, trajectoryRow })
    this.effects.push(effect)
    return effect
  }

  async #carryOut({ action, args }: HostCall, metadata: CallMetadata) {
    const { transport, mayCall, elsewhere } = this.#options
    const denied = actionRefusal(action, { transport, actions: hostActions })
    const entry = hosted.find(one => one.action === action)
    if (denied !== undefined || entry === undefined) return refused(denied, action)
    const operation = await operations[entry.command]?.()
    const isRead = operation?.effect === 'read' || (await isQuestion(entry, args, this.#context))
    const withheld = mayCall?.(action, isRead, args)
    if (withheld !== undefined) return refused(withheld, action)
    if (isRead) return ended(await callExposed(entry, args, this.#context), unbound)
    const bound = await this.#bind(entry, args, metadata)
    if ('failureClasses' in bound) return refused(bound, action)
    const takesOne =
      operation?.input['instruction'] !== undefined &&
      namesOfFields(entry)['instruction'] === 'instructionId'
    const named = takesOne ? underInstruction(args, bound) : args
    const other = elsewhere?.get(action)
    const called = other
      ? await callExposed(entry, { ...named, ...other.args }, { ...other.context, ...unattended })
      : await callExposed(entry, named, this.#context)
    return ended(called, bound)
  }

  /**
   * The policy in force and the accepted instruction of a call that changes something, opened and
   * judged before the call. The operation judges them again.
   */
  async #bind(
    { action }: Exposed,
    args: JsonObject,
    { policyDigest, instructionRef }: CallMetadata,
  ): Promise<Bound | HostRefusal> {
    const project = await openProject(this.#context)
    const real = mutationPolicyDigest(await project.policy(), project.sha256)
    if (policyDigest !== undefined && policyDigest !== real) {
      const why = `the program names the policy ${policyDigest}, and ${real} is in force`
      return refusal(
        'mutation.policy_digest_mismatch',
        why,
        'premath policy show prints its digest.',
      )
    }
    const inArgs = args['instructionId'] ?? args['instruction_id'] ?? args['instruction']
    const env = this.#context.env['PREMATH_INSTRUCTION_ID']
    const named = (typeof inArgs === 'string' ? inArgs : instructionRef) || env || undefined
    // Running an instruction is how one is accepted, so it is bound to the one that it runs.
    if (action === 'instruction.run') {
      const path = args['instructionPath'] ?? args['instruction_path'] ?? inArgs
      return { policyDigest: real, instructionRef: typeof path === 'string' ? path : null }
    }
    // Work changes nothing: its requests and refusals are those of the operation.
    if (isStepWork(this.#context)) return { policyDigest: real, instructionRef: named ?? null }
    if (named === undefined) return evidenceMissing(action, args)
    const { authorityOf } = await import('../project/authority/authority.ts')
    const joinWitness = args['joinWitness'] ?? args['join_witness']
    const authority = await authorityOf(project, {
      instruction: instructionIdIn(named),
      joinWitness: typeof joinWitness === 'string' ? joinWitness : undefined,
    })
    if (isRefusal(authority)) {
      const { failureClass, turnClasses = [], diagnostic: message, remedy: hint } = authority
      return { failureClasses: [failureClass, ...turnClasses], message, hint }
    }
    if (!('instruction' in authority)) return evidenceMissing(action, args)
    return { policyDigest: real, instructionRef: authority.instruction.instructionRef }
  }

  async #record(row: Row, resultClass: string): Promise<HostEffect['trajectoryRow']> {
    const { trajectory, stepPrefix } = this.#options
    if (trajectory === undefined) return null
    const { call, metadata, bound, witnessRefs, span } = row
    const finishedAt = secondOf(span.endedAt)
    const stepId = effectStepId(stepPrefix, call)
    const raw = {
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      stepId,
      ...(metadata.issueId && { issueId: metadata.issueId }),
      action: `scheme_eval.${call.action.trim() || 'unnamed'}`,
      resultClass,
      instructionRefs: bound.instructionRef === null ? [] : [bound.instructionRef],
      witnessRefs,
      lineageRefs: metadata.lineageRefs ?? [],
      startedAt: secondOf(span.startedAt),
      finishedAt,
    } satisfies Record<string, unknown>
    const read = readStepRow(raw as unknown as Json)
    if (read instanceof BadStepRow) throw new Error(`a row of an effect is bad: ${read.why}`)
    await trajectory.log.append(read)
    return { path: trajectory.path, stepId, resultClass, finishedAt }
  }
}

interface Row {
  readonly call: HostCall
  readonly metadata: CallMetadata
  readonly bound: Bound
  readonly witnessRefs: readonly string[]
  readonly span: TimeSpan
}

/** `instructions/20260221T000000Z-fix.json` and `20260221T000000Z-fix` name the same. */
const instructionIdIn = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1).replace(/\.json$/, '')

/** The operation acts under the instruction that was judged. */
function underInstruction(args: JsonObject, { instructionRef }: Bound): JsonObject {
  const hasOne = ['instructionId', 'instruction_id', 'instruction'].some(name => name in args)
  if (instructionRef === null || hasOne) return args
  return { ...args, instructionId: instructionIdIn(instructionRef) }
}

const evidenceMissing = (action: string, args: JsonObject) =>
  refusal(
    'mutation.use_evidence_missing',
    `${action} changes something, and no accepted instruction is named`,
    `Let a person write one: ${newInstruction(issueIn(args))}. Then pass --instruction <its id>.`,
  )

/** The issue that a call is about, by the names that its arguments may have. */
const issueIn = (args: JsonObject): string | undefined =>
  ['id', 'issueId', 'issue_id', 'parentIssueId', 'parent_issue_id']
    .map(name => args[name])
    .find(value => typeof value === 'string')

/** A metadata member that is absent or blank does not hide the one below it. */
function definedOf(metadata: CallMetadata): CallMetadata {
  const given = Object.entries(metadata).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(given)
}

function refused(refusal: HostRefusal | undefined, action: string) {
  const {
    failureClasses = ['scheme_eval.host_action_unallowlisted'],
    message = '',
    hint = '',
  } = refusal ?? {}
  const error = { code: failureClasses[0] ?? 'rejected', message, hint }
  const payload = { action, error, failureClasses: [...failureClasses], result: 'rejected' }
  return { bound: unbound, payload, failureClasses }
}

function ended({ output, exitCode }: Called, bound: Bound) {
  return { bound, payload: output, failureClasses: exitCode === 0 ? [] : classesIn(output) }
}

/** The classes that the command line prints for the same call. */
function classesIn({ failureClasses, error }: JsonObject): readonly string[] {
  const listed = Array.isArray(failureClasses) ? failureClasses : []
  const named = listed.filter(one => typeof one === 'string' && one !== '') as string[]
  if (named.length > 0) return named
  const code = typeof error === 'object' && error !== null && 'code' in error ? error['code'] : ''
  return [typeof code === 'string' && code !== '' ? code : 'rejected']
}
