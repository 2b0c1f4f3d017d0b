/** Blocks of the trajectory, of some hundred lines each, and the facts that spare reading them. */
import { isRetryNeeded, isSuccess } from '../../kernel/harness/retry/failure-class.ts'
import { type ClassFailures, FailureClusters } from '../../kernel/harness/retry/failure-clusters.ts'
import {
  finishedAtOf,
  type PlacedStep,
  type StepFilter,
} from '../../kernel/harness/step/trajectory.ts'
import { checksum } from '../cache-file.ts'
import type { StepLines } from './step-lines.ts'

export interface StepBlock {
  /** Bytes and lines before it in the file. */
  readonly at: number
  readonly line: number
  readonly bytes: number
  readonly lines: number
  readonly rows: number
  readonly failed: number
  readonly retryNeeded: number
  readonly bad: number
  /** Whole seconds: no row of the block is older than the one, or newer than the other. */
  readonly oldest: number
  readonly newest: number
  readonly checksum: number
}

/** A block that was just read. */
export interface FreshBlock {
  readonly block: StepBlock
  /** The filter of the names of its steps and issues. */
  readonly names: Uint8Array
  readonly failures: readonly ClassFailures[]
}

export type BlockPlace = Pick<StepBlock, 'at' | 'line' | 'bytes' | 'lines'>

export function blockOf(place: BlockPlace, bytes: Uint8Array, lines: StepLines): FreshBlock {
  let [oldest, newest] = [0, 0]
  const names = new Uint8Array(filterBytes)
  const byClass = new Map<string, PlacedStep[]>()
  for (const [index, step] of lines.steps.entries()) {
    const { row } = step
    const ofClass = byClass.get(row.resultClass)
    if (ofClass) ofClass.push(step)
    else byClass.set(row.resultClass, [step])
    const finishedAt = finishedAtOf(row)
    const [floor, ceiling] = [secondsOf(finishedAt), -secondsOf(-finishedAt)]
    oldest = index === 0 ? floor : Math.min(oldest, floor)
    newest = index === 0 ? ceiling : Math.max(newest, ceiling)
    addName(names, stepName(row.stepId))
    if (row.issueId !== undefined) addName(names, issueName(row.issueId))
  }
  const { failures, ...counts } = countsOf(byClass)
  const block = {
    ...place,
    rows: lines.steps.length,
    ...counts,
    bad: lines.bad.length,
    oldest,
    newest,
    checksum: checksum(bytes),
  }
  return { block, names, failures }
}

/** A block has few classes, so each is looked at once. */
function countsOf(byClass: ReadonlyMap<string, readonly PlacedStep[]>) {
  let [failed, retryNeeded] = [0, 0]
  const clusters = new FailureClusters()
  for (const [resultClass, steps] of byClass) {
    if (isRetryNeeded(resultClass)) retryNeeded += steps.length
    if (isSuccess(resultClass)) continue
    failed += steps.length
    for (const step of steps) clusters.take(step)
  }
  return { failed, retryNeeded, failures: clusters.list() }
}

/** Steps and issues share a filter, so their names have different prefixes. */
export const stepName = (stepId: string) => `step ${stepId}`
export const issueName = (issueId: string) => `issue ${issueId}`

const nanosPerSecond = 1_000_000_000n

/** Rounds down. */
function secondsOf(instant: bigint): number {
  const whole = Number(instant / nanosPerSecond)
  return instant < 0n && instant % nanosPerSecond !== 0n ? whole - 1 : whole
}

export const newestOf = ({ newest }: StepBlock): bigint => BigInt(newest) * nanosPerSecond

/** How many rows of the block pass the filter by time. */
export function shareOf({ oldest, newest }: StepBlock, { since }: StepFilter) {
  if (since === undefined || BigInt(oldest) * nanosPerSecond >= since) return 'all'
  return BigInt(newest) * nanosPerSecond < since ? 'none' : 'some'
}

/**
 * A Bloom filter for names. It never denies a name that was added; of other names it lets a few in a
 * thousand through.
 */
export const filterBytes = 512

const bitsOf = 8 * filterBytes
const probes = 4

function addName(filter: Uint8Array, name: string): void {
  const { hash, step } = hashOf(name)
  for (let probe = 0; probe < probes; probe++) {
    const bit = (hash + probe * step) % bitsOf
    filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7))
  }
}

/** A test of one name against many filters. */
export function mayHold(name: string): (filter: Uint8Array) => boolean {
  const { hash, step } = hashOf(name)
  const bits = Array.from({ length: probes }, (_, probe) => (hash + probe * step) % bitsOf)
  return filter => bits.every(bit => ((filter[bit >> 3] as number) >> (bit & 7)) & 1)
}

/** FNV-1a over UTF-16 units, and the step from one probe to the next. */
function hashOf(name: string) {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  return { hash: hash >>> 8, step: (Math.imul(hash, 0x9e3779b1) >>> 16) | 1 }
}
