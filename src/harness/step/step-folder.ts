/**
 * The folder `artifacts/steps/<step>/` with the inputs and results of a step. Refs name each file
 * with its digest.
 */
import { canonicalJson } from '../../kernel/canonical.ts'
import { stepFolderName } from '../../kernel/harness/step/step-id.ts'
import { fileOfRef, stepFileRef } from '../../kernel/harness/step/witness-ref.ts'
import type { Json } from '../../kernel/json.ts'
import type { WitnessPlace } from '../../store/witness-store.ts'

/** The turns that the work left for the gate. */
export const evidenceName = 'evidence.ndjson'

export class StepFolder {
  readonly stepId: string
  readonly path: string
  readonly #name: string
  readonly #place: WitnessPlace

  constructor(place: WitnessPlace, stepId: string) {
    this.#place = place
    this.stepId = stepId
    this.#name = stepFolderName(stepId, place.sha256)
    this.path = `${place.root === '/' ? '' : place.root}/artifacts/steps/${this.#name}`
  }

  async make(): Promise<void> {
    await this.#place.disk.makeFolderLoosely(this.path)
  }

  file(name: string): string {
    return `${this.path}/${name}`
  }

  /** The same in a file that has the digest of its content as its name. */
  async writeByDigest(value: Json): Promise<string> {
    return await this.write(`${this.#place.sha256(`${canonicalJson(value)}\n`)}.json`, value)
  }

  /** The ref of a file that is there, by its bytes. */
  async refOf(name: string): Promise<string> {
    return stepFileRef(this.#name, name, await this.#place.disk.sha256(this.file(name)))
  }

  /** Returns a ref with the digest of the content, so that a reader can detect changes. */
  async write(name: string, value: Json): Promise<string> {
    const text = `${canonicalJson(value)}\n`
    await this.#place.disk.replaceLoosely(this.file(name), new TextEncoder().encode(text))
    return stepFileRef(this.#name, name, this.#place.sha256(text))
  }
}

export type OpenedRef = 'verified' | 'missing' | 'changed' | 'elsewhere'

/** Reads the file of a ref and compares its digest. */
export async function openRef(
  ref: string,
  { root, disk, sha256 }: WitnessPlace,
): Promise<OpenedRef> {
  const named = fileOfRef(ref)
  if (!named) return 'elsewhere'
  const path = `${root === '/' ? '' : root}/${named.path}`
  const file = await disk.open(path)
  if (!file) return 'missing'
  try {
    if (named.sha256 !== undefined) {
      return (await disk.sha256(path)) === named.sha256 ? 'verified' : 'changed'
    }
    const { size } = await file.stamp()
    const text = new TextDecoder().decode(await file.read(0, size))
    return named.isStill(text, sha256) ? 'verified' : 'changed'
  } finally {
    await file.close()
  }
}
