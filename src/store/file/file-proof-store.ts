/** `.premath/proofs/`: a folder for each closed issue, with one file for each of its closes. */
import { Fault } from '../../fault.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { isJsonObject, jsonIn } from '../../kernel/json.ts'
import { bundleIn, printBundle } from '../../kernel/proof/proof-bundle.ts'
import {
  chainDigestOf,
  linkIn,
  linksIn,
  type ProofPart,
  printChain,
} from '../../kernel/proof/proof-chain.ts'
import {
  bundleFileOf,
  chainFileOf,
  isChainFile,
  isProofDraft,
  isProofFile,
  isSignaturesFile,
  proofFilesFor,
  proofFolderName,
  signaturesBeside,
  signaturesFileOf,
} from '../../kernel/proof/proof-folder.ts'
import { chainStatement, isSignedWitness } from '../../kernel/proof/signed-statement.ts'
import { signaturePath, witnessPath } from '../../kernel/proof/witness.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk, Files } from '../../world/world.ts'
import { readCached, unlessFault } from '../cache-file.ts'
import type { Authority } from '../issue-store.ts'
import { leadsOutside, readPlain } from '../plain-file.ts'
import {
  type ClosingTurn,
  type GatheredProof,
  gatherProof,
  type ProofStore,
} from '../proof-store.ts'
import type { WitnessSigner } from '../witness-store.ts'
import { issueFiles } from './issue-files.ts'

interface ProofStoreOptions {
  /** The project's folder. Paths of witnesses start from it. */
  readonly root: string
  readonly issuesPath: string
  readonly disk: Disk
  readonly files: Pick<Files, 'kindOf' | 'list'>
  readonly sha256: Sha256
  /** Keeps a copy of each proof, where no reset reaches it. */
  readonly copies?: string | undefined
  /** Signs a close, if the user has a key for that. */
  signer?(): Promise<WitnessSigner | undefined>
}

export class FileProofStore implements ProofStore {
  readonly folder: string
  /** The folder around it. A link inside it that leads out of it is refused. */
  readonly #home: string
  readonly #options: ProofStoreOptions

  constructor(options: ProofStoreOptions) {
    const { folder, proofs } = issueFiles(options.issuesPath)
    this.#options = options
    this.#home = folder
    this.folder = proofs
  }

  folderOf(issueId: string): string {
    return `${this.folder}/${proofFolderName(issueId, this.#options.sha256)}`
  }

  async gather(closing: ClosingTurn, authority: Authority): Promise<GatheredProof | IssueRefusal> {
    const { root, disk, sha256 } = this.#options
    const textAt = async (path: string) => {
      const read = await readPlain(path.startsWith('/') ? path : `${root}/${path}`, { root, disk })
      return 'text' in read ? read.text : undefined
    }
    const gathered = await gatherProof(closing, authority, textAt, sha256)
    if (isRefusal(gathered)) return gathered
    const { chain, parts } = gathered
    return { chain, keep: () => this.#keep(chain, parts) }
  }

  /**
   * The files of other closes stay: two branches that each close the issue then merge without a
   * conflict.
   */
  async #keep(chain: ProofChain, parts: readonly ProofPart[]): Promise<void> {
    const { disk, sha256 } = this.#options
    const { issueId, chainDigest } = chain
    const folder = this.folderOf(issueId)
    const file = bundleFileOf(chainDigest)
    await this.#mustStayInside(`${folder}/${file}`)
    const copies = parts.map(part => [part.file, part.text] as const)
    const own = [chainFileOf(chainDigest), printChain(chain as never)] as const
    const bundle = printBundle(chain, [own, ...copies])
    const signer = await this.#options.signer?.()
    const signed = [
      ...(await this.#signaturesOf(parts)),
      ...(signer ? [signer.sign(chainStatement(chain, own[1], sha256))] : []),
    ].join('')
    const encoder = new TextEncoder()
    const files = new Map([[file, encoder.encode(bundle)]])
    if (signed !== '') files.set(signaturesFileOf(chainDigest), encoder.encode(signed))
    await disk.replaceAll(folder, files)
    await unlessFault(() => this.#keepCopies(issueId, files))
    await this.tidy(issueId)
  }

  #copiesOf(issueId: string): string | undefined {
    const { copies, sha256 } = this.#options
    return copies === undefined ? undefined : `${copies}/${proofFolderName(issueId, sha256)}`
  }

  async #keepCopies(issueId: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const folder = this.#copiesOf(issueId)
    if (folder === undefined) return
    const { disk } = this.#options
    await disk.makeFolderLoosely(folder)
    for (const [name, bytes] of files) await disk.replaceLoosely(`${folder}/${name}`, bytes)
  }

  /** True if the work tree lost the proof, and its copy can be written there. */
  async isCopiedOnly(issueId: string, chainDigest: string): Promise<boolean> {
    const from = this.#copiesOf(issueId)
    if (from === undefined || (await this.holds(issueId, chainDigest))) return false
    const copy = await this.#options.disk.entry(`${from}/${bundleFileOf(chainDigest)}`)
    return copy?.kind === 'file'
  }

  async restore(issueId: string, chainDigest: string): Promise<boolean> {
    const { disk } = this.#options
    const folder = this.folderOf(issueId)
    const from = this.#copiesOf(issueId)
    const names = [bundleFileOf(chainDigest), signaturesFileOf(chainDigest)]
    if (from === undefined || !(await this.isCopiedOnly(issueId, chainDigest))) return false
    const copies = new Map<string, Uint8Array>()
    for (const name of names) {
      const bytes = await readCached(disk, `${from}/${name}`)
      if (bytes) copies.set(name, bytes)
    }
    await this.#mustStayInside(`${folder}/${bundleFileOf(chainDigest)}`)
    await disk.replaceAll(folder, copies)
    return true
  }

  /** The signatures that were made with the witnesses. Whoever verifies the proof verifies them. */
  async #signaturesOf(parts: readonly ProofPart[]): Promise<readonly string[]> {
    const { root, disk } = this.#options
    const lines: string[] = []
    for (const { kind, digest } of parts) {
      if (!isSignedWitness(kind)) continue
      const path = `${root}/${signaturePath(witnessPath(kind, digest))}`
      const read = await readPlain(path, { root, disk })
      if ('text' in read && /^\{[^\n]*\}\n$/.test(read.text)) lines.push(read.text)
    }
    return lines
  }

  async holds(issueId: string, chainDigest: string): Promise<boolean> {
    return (await this.#heldAt(issueId, chainDigest)) !== undefined
  }

  async reread(issueId: string, chainDigest: string): Promise<string | undefined> {
    const { disk, sha256 } = this.#options
    const path = await this.#heldAt(issueId, chainDigest)
    if (path === undefined) return undefined
    const read = await readPlain(path, { root: this.#home, disk })
    if ('why' in read) return undefined
    const bundle = bundleIn(read.text)
    const text = bundle && 'files' in bundle ? bundle.files[chainFileOf(chainDigest)] : read.text
    const chain = jsonIn(text ?? '')
    return isJsonObject(chain) ? chainDigestOf(chain, sha256) : undefined
  }

  /** The path of its bundle, or of its chain if it was written before there were bundles. */
  async #heldAt(issueId: string, chainDigest: string): Promise<string | undefined> {
    const { disk } = this.#options
    for (const name of proofFilesFor(chainDigest)) {
      const path = `${this.folderOf(issueId)}/${name}`
      if ((await disk.entry(path))?.kind !== 'file') continue
      if (!(await leadsOutside(path, this.#home, disk))) return path
    }
    return undefined
  }

  /** Removes a chain before its copies, because `tidy` finds copies without a chain after a crash. */
  async remove(issueId: string, chainDigest: string): Promise<void> {
    const { disk, files } = this.#options
    const folder = this.folderOf(issueId)
    const path = await this.#heldAt(issueId, chainDigest)
    if (path === undefined) return await this.tidy(issueId)
    const copies = this.#copiesOf(issueId)
    for (const name of [path.slice(folder.length + 1)].flatMap(one => [
      one,
      signaturesBeside(one),
    ])) {
      await disk.remove(`${folder}/${name}`)
      if (copies !== undefined) await disk.remove(`${copies}/${name}`)
    }
    await this.tidy(issueId)
    if ((await files.list(folder)).length === 0) await disk.removeFolder(folder)
  }

  /** Names of the files that an interrupted close left in the folder of its issue. */
  async leftovers(issueId: string): Promise<readonly string[]> {
    const { disk, files } = this.#options
    const folder = this.folderOf(issueId)
    if ((await disk.entry(folder))?.kind !== 'folder') return []
    if (await leadsOutside(folder, this.#home, disk)) return []
    const names = (await files.list(folder)).map(({ name }) => name)
    return [...names.filter(isOwnDraft), ...(await this.#unnamedCopies(folder))]
  }

  /** The lock of issue memory is held, so the process that wrote a draft has ended. */
  async tidy(issueId: string): Promise<void> {
    await this.#removeAll(this.folderOf(issueId), await this.leftovers(issueId))
    const copies = this.#copiesOf(issueId)
    if (copies === undefined || (await this.#options.disk.entry(copies))?.kind !== 'folder') return
    const names = (await this.#options.files.list(copies)).map(({ name }) => name)
    await this.#removeAll(copies, names.filter(isOwnDraft))
  }

  async #removeAll(folder: string, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#options.disk.remove(`${folder}/${name}`)
  }

  /**
   * Copies that no chain in the folder names. Before there were bundles, a crash could come between
   * the copies and their chain.
   */
  async #unnamedCopies(folder: string): Promise<readonly string[]> {
    const { disk, files } = this.#options
    const names = (await files.list(folder)).map(({ name }) => name)
    const copies = names.filter(name => linkIn(name) !== undefined)
    if (copies.length === 0) return []
    const named = new Set<string>()
    for (const name of names.filter(isChainFile)) {
      const read = await readPlain(`${folder}/${name}`, { root: folder, disk })
      const chain = 'why' in read ? undefined : jsonIn(read.text)
      // An unreadable chain may name any of them.
      if (chain === undefined) return []
      for (const file of linksIn(chain)) named.add(file)
    }
    return copies.filter(name => !named.has(name))
  }

  async #mustStayInside(path: string): Promise<void> {
    const { disk } = this.#options
    if (!(await leadsOutside(path, this.#home, disk))) return
    const leadsTo = await disk.realPath(path)
    throw new Fault('unavailable', `${shown(path)} lies behind a symbolic link`, {
      hint: `It leads to ${shown(leadsTo)}. Remove the link, and run again.`,
      detail: { path, leadsTo },
    })
  }
}

/** A draft of a bundle, a chain or a copy. Other files in the folder are not ours. */
function isOwnDraft(name: string): boolean {
  const [meant = ''] = name.split('.tmp.')
  const isOurs = isProofFile(meant) || isSignaturesFile(meant) || linkIn(meant) !== undefined
  return isProofDraft(name) && isOurs
}
