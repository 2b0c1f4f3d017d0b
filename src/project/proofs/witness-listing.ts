/** The rows of `witness list`. */
import { instantOf } from '../../kernel/timestamp.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import { type ProofFiles, proofFolderAt } from './proof-files.ts'
import { proofVerdict } from './proof-verdict.ts'
import { documentFindings, resultOf, witnessIn } from './witness-document.ts'
import {
  proofFolders,
  proofWitnesses,
  type StoredWitness,
  shownPath,
  storedText,
  storedWitnesses,
} from './witness-inventory.ts'

interface ListedWitness {
  readonly kind: string
  readonly digest: string | null
  /**
   * The recorded result. `forced`: a person closed without proof. `superseded`: the row of the issue
   * names another close.
   */
  readonly result: 'accepted' | 'rejected' | 'forced' | 'superseded' | 'broken'
  readonly issueIds: readonly string[]
  readonly treeDigest: string | null
  readonly path: string
  readonly at: bigint
}

export async function allListed(open: OpenWitnesses): Promise<readonly ListedWitness[]> {
  const chains: ListedWitness[] = []
  /** Issue ids by the digest of a witness that closed them. */
  const closedBy = new Map<string, string[]>()
  for (const folder of await proofFolders(open)) {
    for (const { listed, chain } of await listedChains(folder, open)) {
      chains.push(listed)
      for (const { digest } of chain?.links ?? []) {
        closedBy.set(digest, [...(closedBy.get(digest) ?? []), chain?.issueId ?? ''])
      }
    }
  }
  const byDigest = new Map<string, ListedWitness>()
  for (const stored of [...(await storedWitnesses(open)), ...(await proofWitnesses(open))]) {
    const listed = await listedWitness(stored, closedBy, open)
    const key = `${stored.kind} ${listed.digest ?? stored.path}`
    if (byDigest.get(key)?.result !== 'accepted') byDigest.set(key, listed)
  }
  return [...chains, ...byDigest.values()]
}

/** The paths of witnesses outside of proofs whose content is not theirs, among the newest ones. */
export async function brokenWitnesses(open: OpenWitnesses, lookedMax: number) {
  const stored = await storedWitnesses(open)
  const broken: string[] = []
  for (const one of stored.slice(0, lookedMax)) {
    const { result, path } = await listedWitness(one, new Map(), open)
    if (result === 'broken') broken.push(path)
  }
  return { looked: Math.min(stored.length, lookedMax), of: stored.length, broken }
}

interface ListedChain {
  readonly listed: ListedWitness
  readonly chain: ProofChain | undefined
}

async function listedChains(path: string, open: OpenWitnesses): Promise<readonly ListedChain[]> {
  const folder = await proofFolderAt(path, open)
  if (folder === undefined) return []
  const [counting = '', ...others] = folder.closes
  const listedOf = async (name: string) =>
    await listedChain(`${path}/${name}`, await folder.filesOf(name), open)
  const listed = [await listedOf(counting)]
  for (const name of others) {
    const one = await listedOf(name)
    const isWell = one.listed.result !== 'broken'
    listed.push(isWell ? { ...one, listed: { ...one.listed, result: 'superseded' } } : one)
  }
  return listed
}

async function listedChain(
  path: string,
  files: ProofFiles,
  open: OpenWitnesses,
): Promise<ListedChain> {
  const { chain, findings } = await proofVerdict(files, open)
  const isForced = chain?.closedBy.by === 'force'
  const listed: ListedWitness = {
    kind: 'chain',
    digest: chain?.chainDigest ?? null,
    result: findings.length > 0 ? 'broken' : isForced ? 'forced' : 'accepted',
    issueIds: chain ? [chain.issueId] : [],
    treeDigest: chain?.treeDigest ?? null,
    path: shownPath(path, open),
    at: instantOf(chain?.closedAt ?? '') ?? 0n,
  }
  return { listed, chain }
}

async function listedWitness(
  stored: StoredWitness,
  closedBy: ReadonlyMap<string, readonly string[]>,
  open: OpenWitnesses,
): Promise<ListedWitness> {
  const { kind, digest: named, path, at } = stored
  const shown = shownPath(path, open)
  const expected = named === undefined ? null : `sha256:${named}`
  const broken = { kind, digest: expected, issueIds: [], treeDigest: null, path: shown, at }
  const read = await storedText(stored, open)
  const document = 'text' in read ? witnessIn(read.text, open.sha256) : undefined
  if (!('text' in read) || document === undefined) return { ...broken, result: 'broken' }
  const { value, digest: computed } = document
  const digest = `sha256:${computed}`
  const findings = await documentFindings(document, shown, read.text, open)
  const isOwn = findings.length === 0 && document.kind === kind && (expected ?? digest) === digest
  if (!isOwn) return { ...broken, result: 'broken' }
  const about = [textOr(value['issueId']), ...(closedBy.get(digest) ?? [])]
  return {
    ...broken,
    digest,
    result: resultOf(document),
    issueIds: [...new Set(about.filter(id => id !== null))],
    treeDigest: textOr(value['treeDigest']),
  }
}

const textOr = (value: unknown) => (typeof value === 'string' ? value : null)
