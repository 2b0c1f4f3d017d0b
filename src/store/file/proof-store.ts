/** `.premath/proofs/`: what every closed issue was closed by, copied where it lasts. */
import { Fault } from '../../fault.ts'
import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { jsonIn } from '../../kernel/json.ts'
import {
  type Closing,
  type LinkKind,
  linkFile,
  linkIn,
  linksIn,
  type ProofPart,
  printChain,
  proofChain,
} from '../../kernel/proof/proof-chain.ts'
import { openedAs } from '../../kernel/proof/proof-check.ts'
import {
  chainFileOf,
  isChainFile,
  isProofDraft,
  proofFolderName,
  proofsFolderOf,
} from '../../kernel/proof/proof-folder.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk, Files } from '../../world/world.ts'
import type { Authority } from '../issue-store.ts'
import { leadsAway, readPlain } from '../plain-file.ts'

export interface ProofStoreOptions {
  /** The project's folder, which witnesses lie in. */
  readonly root: string
  readonly issuesPath: string
  readonly disk: Disk
  readonly files: Pick<Files, 'kindOf' | 'list'>
  readonly sha256: Sha256
}

/** All that a proof will hold, read and checked; nothing is written yet. */
export interface GatheredProof {
  readonly chain: ProofChain
  /** Durable when it returns. Called under the lock of issue memory, before the row is written. */
  keep(): Promise<void>
}

/** Where a witness lies that the close came of. */
interface Named {
  readonly kind: LinkKind
  readonly path: string
  readonly digest: string
}

export class ProofStore {
  /** Holds a folder an issue. */
  readonly folder: string
  readonly #options: ProofStoreOptions

  constructor(options: ProofStoreOptions) {
    this.#options = options
    this.folder = proofsFolderOf(options.issuesPath)
  }

  folderOf(issueId: string): string {
    return `${this.folder}/${proofFolderName(issueId, this.#options.sha256)}`
  }

  /** A witness that went away, or was changed, since it was opened proves nothing any more. */
  async gather(
    closing: Closing & { readonly turn: string | undefined },
    authority: Authority,
  ): Promise<GatheredProof | IssueRefusal> {
    const parts: ProofPart[] = []
    for (const named of namedBy(closing, authority)) {
      const part = await this.#partAt(named)
      if (part === undefined) return gone(named.path)
      parts.push(part)
    }
    const chain = proofChain(closing, parts, this.#options.sha256)
    return { chain, keep: () => this.#keep(chain, parts) }
  }

  async #partAt({ kind, path, digest }: Named): Promise<ProofPart | undefined> {
    const { root, sha256 } = this.#options
    const read = await readPlain(path.startsWith('/') ? path : `${root}/${path}`, this.#options)
    if ('why' in read) return undefined
    const { text } = read
    const value = openedAs(kind, digest, text, sha256)
    return value && { kind, digest, file: linkFile(kind, digest, sha256(text)), text, value }
  }

  /** The chain comes last. Those of other closes stay: what is taken away can conflict, too. */
  async #keep(chain: ProofChain, parts: readonly ProofPart[]): Promise<void> {
    const { disk } = this.#options
    const folder = this.folderOf(chain.issueId)
    const chainFile = chainFileOf(chain.chainDigest)
    await this.#mustStayInside(`${folder}/${chainFile}`)
    const encoder = new TextEncoder()
    const links = parts.map(({ file, text }) => [file, encoder.encode(text)] as const)
    const last = [chainFile, encoder.encode(printChain(chain as never))] as const
    await disk.replaceAll(folder, new Map([...links, last]))
    await this.#removeAll(folder, await this.#leftIn(folder, linksIn(chain as never)))
  }

  /** Names of what a close that was cut off left in the folder of its issue. */
  async leftovers(issueId: string): Promise<readonly string[]> {
    const { disk, files } = this.#options
    const folder = this.folderOf(issueId)
    if ((await disk.entry(folder))?.kind !== 'folder') return []
    const home = this.folder.slice(0, this.folder.lastIndexOf('/'))
    if (await leadsAway(folder, home, disk)) return []
    const names = (await files.list(folder)).map(({ name }) => name)
    return [...names.filter(isOwnDraft), ...(await this.#leftIn(folder, []))]
  }

  /** Called under the lock of issue memory: whoever wrote a draft that is still there is dead. */
  async tidy(issueId: string): Promise<void> {
    await this.#removeAll(this.folderOf(issueId), await this.leftovers(issueId))
  }

  async #removeAll(folder: string, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#options.disk.remove(`${folder}/${name}`)
  }

  /** Copies for a chain that a crash kept from being written. What is not ours stays. */
  async #leftIn(folder: string, own: readonly string[]): Promise<readonly string[]> {
    const { disk, files } = this.#options
    const names = (await files.list(folder)).map(({ name }) => name)
    const foreign = names.filter(name => linkIn(name) && !own.includes(name))
    if (foreign.length === 0) return []
    const named = new Set<string>()
    for (const name of names.filter(isChainFile)) {
      const read = await readPlain(`${folder}/${name}`, { root: folder, disk })
      const chain = 'why' in read ? undefined : jsonIn(read.text)
      // One that cannot be read may name any of them.
      if (chain === undefined) return []
      for (const file of linksIn(chain)) named.add(file)
    }
    return foreign.filter(name => !named.has(name))
  }

  async #mustStayInside(path: string): Promise<void> {
    const { disk } = this.#options
    const home = this.folder.slice(0, this.folder.lastIndexOf('/'))
    if (!(await leadsAway(path, home, disk))) return
    const leadsTo = await disk.realPath(path)
    throw new Fault('unavailable', `${shown(path)} lies behind a symbolic link`, {
      hint: `It leads to ${shown(leadsTo)}. Remove the link, and run again.`,
      detail: { path, leadsTo },
    })
  }
}

/** Of a file that we write, and of no other. */
function isOwnDraft(name: string): boolean {
  const [meant = ''] = name.split('.tmp.')
  return isProofDraft(name) && (isChainFile(meant) || linkIn(meant) !== undefined)
}

const digestShape = /([0-9a-f]{64})(?:\.json)?$/
const digestIn = (text: string) => digestShape.exec(text)?.[1] ?? ''

/** In the order in which they came about. */
function namedBy(
  { done, turn }: Closing & { readonly turn: string | undefined },
  authority: Authority,
): readonly Named[] {
  const agent = AgentGrant.isIssued(authority) ? authority : undefined
  const instruction = agent && {
    kind: 'instruction' as const,
    path: agent.witnessPath,
    digest: digestIn(agent.instruction.witnessDigest),
  }
  const join = agent?.joinWitnessRef || turn
  const verified = done.by === 'specs' ? 'spec' : 'verify'
  const lying = (kind: LinkKind, path: string): Named => ({ kind, path, digest: digestIn(path) })
  return [
    ...(instruction ? [instruction] : []),
    ...(join ? [lying('join', join)] : []),
    ...done.witnesses.map(path => lying(verified, path)),
  ]
}

const gone = (path: string) =>
  refuse(
    'close_proof_missing',
    `${path} is gone, or not what it was`,
    'Have it made anew, and close the issue then.',
  )
