/** The gate of a step: checks its own turn and the turns that the work left. */
import { Fault } from '../../fault.ts'
import type { EvidenceVerdict, Gate, HarnessPolicy } from '../../harness/harness.ts'
import { stricter } from '../../harness/payloads.ts'
import { byCodePoint, type Digest, type Sha256 } from '../../kernel/canonical.ts'
import { isLocation } from '../../kernel/harness/relocation/relocation.ts'
import { isJsonObject, type Json, parseJson } from '../../kernel/json.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { joinWitness } from '../../kernel/turn/join-witness.ts'
import type { Judgement } from '../../kernel/turn/judge.ts'
import { freeKeys } from '../../kernel/turn/normalize.ts'
import type { Kit } from '../../kernel/turn/rules/rule.ts'
import { witnessDigest } from '../../kernel/turn/witness.ts'
import { writeWitness } from '../../store/witness-store.ts'
import { type ObservabilityMode, observabilityModes } from '../../wire/harness/payload.ts'
import type { StepTurn } from '../../wire/harness/step-row.ts'
import type { DiskFile } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'
import { openGate } from '../gate/gate.ts'
import { type Line, linesOf } from '../lines.ts'
import type { Project } from '../open.ts'
import { signerOf } from '../proofs/birth-signing.ts'

/** Enough for a person to see the problem. */
const findingsMax = 5

/** A line that is not a turn cannot be join closed. */
const unreadableClass = 'tool.schema_invalid'

export async function stepGate(project: Project, instructionId: string | null): Promise<Gate> {
  const gate = openGate(project, await project.claims())
  const { root, sha256 } = project
  return {
    async witness(turn, about) {
      const judged = await gate.judge(turn)
      const linkage = { instructionId, judgedAt: timestampOf(project.clock.now()) }
      const witness = joinWitness(turn, judged, linkage, sha256)
      const ref = await writeWitness('join', witness, {
        root,
        disk: await project.disk(),
        sha256,
        signer: await signerOf(project),
        about,
      })
      return { verdict: verdictOf(judged), ref }
    },
    async judgeFile(path, policy) {
      const verdict = new Verdict(sha256)
      const judge = (input: Json) => gate.judge(...underPolicy(input, policy))
      const flaw = await verdict.reading(() => judgeLines(path, verdict, judge, project))
      if (flaw !== undefined) verdict.refuse(flaw)
      return verdict.tell()
    },
  }
}

function verdictOf({ turn: { digests }, join }: Judgement): StepTurn {
  const { callSpecDigest, useSetDigest, joinSetDigest } = digests
  const { joinClosed, mutationReady, failureClasses } = join
  return { callSpecDigest, useSetDigest, joinSetDigest, joinClosed, mutationReady, failureClasses }
}

/**
 * The project decides which policy is in force, whatever a turn says. A turn that asks for no
 * mutation and names no policy in force is bound to none.
 */
function underPolicy(
  input: Json,
  { mutationPolicyDigest, isGoverned }: HarnessPolicy,
): [Json, Partial<Kit>?] {
  if (!isJsonObject(input)) return [input]
  const asks = input['mutation'] !== undefined
  if (!asks && input['activeMutationPolicyDigest'] === undefined) return [input]
  const asked = { ...input, activeMutationPolicyDigest: mutationPolicyDigest }
  return [asked, asks && isGoverned ? { policyInForce: mutationPolicyDigest } : {}]
}

/** The evidence must be a plain file at the expected path. */
async function judgeLines(
  path: string,
  verdict: Verdict,
  judge: Judge,
  context: OperationContext,
): Promise<void> {
  const disk = await context.disk()
  const folder = path.slice(0, path.lastIndexOf('/'))
  const name = path.slice(folder.length)
  if ((await disk.realPath(path)) !== `${await disk.realPath(folder)}${name}`) {
    throw new Fault('invalid_input', 'the evidence file is a link')
  }
  const file = await disk.open(path)
  if (!file) return
  try {
    const before = await disk.sha256(path)
    for await (const lines of linesOf(chunksOf(file))) {
      for (const line of lines) await verdict.take(line, judge)
    }
    // A process that the work left behind may still write to it.
    if ((await disk.sha256(path)) !== before) {
      throw new Fault('invalid_input', 'the evidence file changed while it was read')
    }
    verdict.sha256 = `sha256:${before}`
  } finally {
    await file.close()
  }
}

const chunkBytes = 64 * 1024

async function* chunksOf(file: DiskFile): AsyncIterable<Uint8Array> {
  for (let at = 0; ; ) {
    const chunk = await file.read(at, chunkBytes)
    if (chunk.length === 0) return
    at += chunk.length
    yield chunk
  }
}

type Judge = (input: Json) => Judgement | Promise<Judgement>

class Verdict {
  #turns = 0
  #open = 0
  readonly #classes = new Set<string>()
  readonly #findings: string[] = []
  readonly #destinations = new Set<string>()
  readonly #turnDigests: Digest[] = []
  readonly #sha256: Sha256
  #mode: ObservabilityMode = 'dashboard'
  sha256: Digest | undefined

  constructor(sha256: Sha256) {
    this.#sha256 = sha256
  }

  async take(line: Line, judge: Judge): Promise<void> {
    if (typeof line.text === 'string' && line.text.trim() === '') return
    this.#turns++
    try {
      if (line.text instanceof Fault) throw line.text
      const input = parseJson(line.text, { freeKeys, line: line.number })
      const { turn, join } = await judge(input)
      if (!join.joinClosed) this.#open++
      this.#turnDigests.push(witnessDigest(turn, join, this.#sha256))
      const { observabilityMode } = turn.callSpec
      const mode = observabilityModes.find(one => one === observabilityMode)
      if (mode) this.#mode = stricter(this.#mode, mode)
      // A turn may hand its work to another location.
      const target = turn.handoff?.target ?? ''
      if (isLocation(target)) this.#destinations.add(target)
      const byPoint = join.findings.toSorted((a, b) => vague(a) - vague(b))
      for (const { failureClass, at, message } of byPoint) {
        this.#find(failureClass, `line ${line.number}: ${failureClass} at ${at}: ${message}`)
      }
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'invalid_input') throw error
      this.#open++
      this.#find(unreadableClass, `line ${line.number}: ${error.message}`)
    }
  }

  /** Returns why the file cannot be read. Unreadable evidence rejects the step. */
  async reading(read: () => Promise<void>): Promise<string | undefined> {
    try {
      await read()
      return undefined
    } catch (error) {
      if (error instanceof Fault) return error.message
      throw error
    }
  }

  refuse(why: string): void {
    this.#turns++
    this.#open++
    this.#find(unreadableClass, why)
  }

  #find(failureClass: string, text: string): void {
    this.#classes.add(failureClass)
    if (this.#findings.length < findingsMax) this.#findings.push(text)
  }

  tell(): EvidenceVerdict {
    return {
      turns: this.#turns,
      joinClosed: this.#open === 0,
      failureClasses: [...this.#classes].sort(byCodePoint),
      findings: this.#findings,
      destinations: [...this.#destinations].sort(byCodePoint),
      turnDigests: this.#turnDigests,
      observabilityMode: this.#mode,
      sha256: this.sha256,
    }
  }
}

/** Puts `tool.join_incomplete` last, because the other classes are more precise. */
const vague = ({ failureClass }: { readonly failureClass: string }) =>
  Number(failureClass === 'tool.join_incomplete')
