/** Resolves the refs of records, each with at most two reads of files, and remembers the last ones. */
import { openRef, StepFolder } from '../../../harness/step/step-folder.ts'
import { canonicalJson } from '../../../kernel/canonical.ts'
import { isLeaseRef } from '../../../kernel/checks/coherence/lease-history.ts'
import { fileOfRef, instructionRef, proofNamed } from '../../../kernel/harness/step/witness-ref.ts'
import { instructionDigestOf } from '../../../kernel/instruction/envelope.ts'
import { isRunInstructionId } from '../../../kernel/instruction/instruction-id.ts'
import { isJsonObject, jsonIn } from '../../../kernel/json.ts'
import { witnessFolder } from '../../../kernel/proof/witness.ts'
import { leadsOutside, readPlain } from '../../../store/plain-file.ts'
import type { TrajectoryLog } from '../../../store/trajectory/trajectory-log.ts'
import type { OpenWitnesses } from '../../open-witnesses.ts'
import { isWithin, resolvePath } from '../../paths.ts'

/**
 * `not kept`: the folder of outputs is gone, as in a clone or after `premath clean`.
 * `elsewhere`: the ref is of another system, or another obligation recomputes it.
 */
export type RefVerdict = 'verified' | 'missing' | 'changed' | 'not kept' | 'elsewhere'

/** Rows of one issue name the same witnesses. */
const rememberedMax = 4_096

export class Refs {
  readonly #open: OpenWitnesses
  readonly #log: TrajectoryLog
  readonly #remembered = new Map<string, RefVerdict>()

  constructor(open: OpenWitnesses, log: TrajectoryLog) {
    this.#open = open
    this.#log = log
  }

  async verdictOn(ref: string): Promise<RefVerdict> {
    const known = this.#remembered.get(ref)
    if (known !== undefined) return known
    const verdict = await this.#look(ref)
    if (this.#remembered.size === rememberedMax) this.#remembered.clear()
    this.#remembered.set(ref, verdict)
    return verdict
  }

  async #look(ref: string): Promise<RefVerdict> {
    if (isLeaseRef(ref)) return 'elsewhere'
    if (ref.startsWith('witness://')) return await this.#witness(ref)
    const proof = proofNamed(ref)
    if (proof) return await this.#proof(proof)
    if (ref.startsWith('step://')) return await this.#step(ref.slice('step://'.length))
    const scheme = instructionRef('')
    if (ref.startsWith(scheme)) return await this.#instruction(ref.slice(scheme.length))
    if (/^[a-z][a-z0-9+.-]*:/i.test(ref)) return 'elsewhere'
    return (await this.#textAt(ref)) === undefined ? 'missing' : 'verified'
  }

  async #witness(ref: string): Promise<RefVerdict> {
    const { root, disk, sha256 } = this.#open
    const named = fileOfRef(ref)
    if (named === undefined) return 'missing'
    const opened = await openRef(ref, { root, disk, sha256 })
    if (opened !== 'missing') return opened
    return await this.#missingBelow(named.path.slice(0, named.path.lastIndexOf('/')))
  }

  /** A folder that is gone was removed as a whole. One with a gap lost a file. */
  async #missingBelow(folder: string): Promise<RefVerdict> {
    const kind = await this.#open.files.kindOf(`${this.#open.root}/${folder}`)
    return kind === 'folder' ? 'missing' : 'not kept'
  }

  async #proof(named: { issueId: string; chainDigest: string }): Promise<RefVerdict> {
    const reread = await this.#open.proofs.reread(named.issueId, named.chainDigest)
    if (reread === undefined) return 'missing'
    return reread === named.chainDigest ? 'verified' : 'changed'
  }

  async #step(stepId: string): Promise<RefVerdict> {
    const { root, disk, sha256, files } = this.#open
    const { path } = new StepFolder({ root, disk, sha256 }, stepId)
    if ((await files.kindOf(path)) === 'folder') return 'verified'
    return (await this.#log.get(stepId)) === undefined ? 'missing' : 'verified'
  }

  /** The instruction of a run is named by its digest. Another one has a file and a witness. */
  async #instruction(id: string): Promise<RefVerdict> {
    const { sha256 } = this.#open
    const text = await this.#textAt(`${witnessFolder}/${id}.json`)
    const value = text === undefined ? undefined : jsonIn(text)
    if (isRunInstructionId(id)) {
      if (text === undefined) return await this.#missingBelow(witnessFolder)
      const digest = value === undefined ? '' : sha256(canonicalJson(value))
      return `run-${digest}` === id ? 'verified' : 'changed'
    }
    const path = isJsonObject(value) ? value['instructionRef'] : undefined
    const file = await this.#textAt(typeof path === 'string' ? path : `instructions/${id}.json`)
    if (text === undefined) return file === undefined ? 'missing' : 'verified'
    const document = file === undefined ? undefined : jsonIn(file)
    if (!isJsonObject(value)) return 'changed'
    if (document === undefined) return 'verified'
    return instructionDigestOf(document, sha256) === value['instructionDigest']
      ? 'verified'
      : 'changed'
  }

  /** The text of a plain file of the project. */
  async #textAt(path: string): Promise<string | undefined> {
    const { root, disk } = this.#open
    const file = resolvePath(root, path)
    if (!isWithin(file, root) || (await disk.entry(file))?.kind !== 'file') return undefined
    if (await leadsOutside(file, root, disk)) return undefined
    const read = await readPlain(file, { root, disk })
    return 'text' in read ? read.text : undefined
  }
}
