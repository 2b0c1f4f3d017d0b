/** The verdict on a proof or witness, with all findings. */
import type { OverrideActor } from '../../kernel/authority/override-actor.ts'
import { linkIn } from '../../kernel/proof/proof-chain.ts'
import { exitCodeOf, finding, type ProofFinding } from '../../kernel/proof/proof-classes.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import { importedIssues } from './imported-issues.ts'
import {
  type LinkSignature,
  linkSignatures,
  type SignatureOptions,
  signatureFindings,
} from './link-signatures.ts'
import { type ProofFiles, proofFolderAt } from './proof-files.ts'
import { memoryFindings, proofVerdict, unnamedFileFindings } from './proof-verdict.ts'
import { contextFindings, proofContextFindings } from './step-context.ts'
import { documentFindings, resultOf, witnessIn } from './witness-document.ts'
import { proofFolders, shownPath, storedWitnesses, witnessText } from './witness-inventory.ts'
import type { NamedWitness } from './witness-named.ts'

export interface Verdict {
  readonly kind: string
  readonly name: string
  readonly digest: string | null
  readonly issueId: string | null
  readonly treeDigest: string | null
  readonly path: string
  readonly result: 'accepted' | 'rejected' | 'broken'
  readonly findings: readonly ProofFinding[]
  /** For a proof: the files of other closes in its folder. */
  readonly others?: readonly string[]
  /** For a proof that the command names: flaws of other files in its folder. */
  readonly beside?: readonly OtherProofFile[]
  readonly closedBy?: ProofChain['closedBy']
  /** For a proof, if keys are trusted: who signed each link and the close. */
  readonly signatures?: readonly LinkSignature[]
  /** For an attestation: how somebody confirmed its signature. */
  readonly confirmedBy?: OverrideActor
}

/** The file of another close, or one that belongs to none. */
export interface OtherProofFile {
  readonly name: string
  readonly result: Verdict['result']
  readonly findings: readonly ProofFinding[]
}

export interface VerdictOptions {
  /** Whether the files of now must be the witnessed ones. */
  readonly tree: boolean
  /**
   * Whether the command names it: then a recorded failure rejects it. For `--all` only changes since
   * it was written count.
   */
  readonly named: boolean
  /** Whether the close of an issue by force is accepted. */
  readonly allowForced: boolean
  /** Absent if no key is trusted, and no signature is asked for. */
  readonly signatures?: SignatureOptions | undefined
}

/** No finding about a file has exit code 3, which is about a rerun. */
const results = { 0: 'accepted', 1: 'rejected', 3: 'rejected', 5: 'broken' } as const

const resultOfFindings = (findings: readonly ProofFinding[]) => results[exitCodeOf(findings)]

const verdictOf = (about: Omit<Verdict, 'result'>): Verdict => ({
  ...about,
  result: resultOfFindings(about.findings),
})

export const verdictOn = (
  named: NamedWitness,
  open: OpenWitnesses,
  options: VerdictOptions,
): Promise<Verdict> =>
  named.is === 'proof' ? onProof(named, open, options) : onWitness(named, open, options)

async function onProof(
  { path, files, isKept, issueId }: Extract<NamedWitness, { is: 'proof' }>,
  open: OpenWitnesses,
  options: VerdictOptions,
): Promise<Verdict> {
  const shown = shownPath(path, open)
  const folder = path.slice(path.lastIndexOf('/') + 1)
  const about = { kind: 'proof', name: issueId ?? folder, path: shown, issueId: issueId ?? null }
  const beside = files && options.named && isKept ? await otherProofFiles(path, files, open) : []
  if (files === undefined || isInterruptedClose(files, issueId, open)) {
    const found = finding('proof_missing', about.name, missingWhy(issueId, open))
    return verdictOf({ ...about, digest: null, treeDigest: null, findings: [found], beside })
  }
  const verdict = await proofVerdict(files, open)
  const { chain, parts, findings } = verdict
  const { others } = files
  if (chain === undefined) {
    return verdictOf({ ...about, digest: null, treeDigest: null, findings, others, beside })
  }
  const asked = options.signatures
  const signatures = asked && linkSignatures(files, verdict, asked, open.sha256)
  const rows = isKept ? memoryFindings(chain, { folder, others }, open) : []
  // The issue was opened again, or closed on another branch too: the proof was right in its time.
  const isPast = (one: ProofFinding) =>
    one.failureClass === 'proof_superseded' && open.memory?.has(chain.issueId)
  return verdictOf({
    ...about,
    name: chain.issueId,
    issueId: chain.issueId,
    digest: chain.chainDigest,
    treeDigest: chain.treeDigest,
    closedBy: chain.closedBy,
    others,
    beside,
    ...(signatures && { signatures }),
    findings: [
      ...findings,
      ...(asked && signatures ? signatureFindings(chain, verdict, signatures, asked) : []),
      ...(await proofContextFindings(parts, open)),
      ...rows.filter(one => options.named || !isPast(one)),
      ...(options.allowForced || rows.some(isPast) ? [] : forcedFindings(chain)),
      ...(options.tree ? await treeFindings(chain.issueId, chain.treeDigest, open) : []),
    ],
  })
}

/** A person decided, and nothing was verified. */
const forcedFindings = ({ issueId, closedBy }: ProofChain): readonly ProofFinding[] =>
  closedBy.by === 'force'
    ? [finding('proof_forced', issueId, 'it was closed by force, and nothing was verified')]
    : []

/** Copies without a chain of an issue that is not closed: a close that was cut off. */
const isInterruptedClose = (
  { chain }: ProofFiles,
  issueId: string | undefined,
  { memory }: OpenWitnesses,
) => chain === '' && issueId !== undefined && memory?.get(issueId)?.status !== 'closed'

/** Judges the other proofs in the folder by their own files. */
async function otherProofFiles(
  path: string,
  files: ProofFiles,
  open: OpenWitnesses,
): Promise<readonly OtherProofFile[]> {
  const folder = await proofFolderAt(path, open)
  const chains: OtherProofFile[] = []
  for (const name of files.others) {
    const other = await folder?.filesOf(name)
    const findings = other ? (await proofVerdict(other, open)).findings : []
    if (findings.length > 0) chains.push({ name, result: resultOfFindings(findings), findings })
  }
  const strays = unnamedFileFindings(files).map(one => ({
    name: one.at,
    result: resultOfFindings([one]),
    findings: [one],
  }))
  return [...chains, ...strays]
}

function missingWhy(issueId: string | undefined, { memory }: OpenWitnesses): string {
  const status = memory?.get(issueId ?? '')?.status
  if (status === undefined) return 'it has no proof'
  return status === 'closed' ? 'it is closed, and has no proof' : `it is ${status}`
}

async function onWitness(
  { path, name, text }: Extract<NamedWitness, { is: 'witness' }>,
  open: OpenWitnesses,
  options: VerdictOptions,
): Promise<Verdict> {
  const shown = shownPath(path, open)
  const document = witnessIn(text, open.sha256)
  if (document === undefined) {
    const found = finding('witness_changed', shown, 'it is not a witness any more')
    return verdictOf({ ...unknown(shown), findings: [found] })
  }
  const { kind, digest, value } = document
  const treeDigest = textOr(value['treeDigest'])
  const findings = [
    ...nameFindings(
      { path: shown, name },
      kind === 'instruction' ? value['instructionId'] : digest,
      digest,
    ),
    ...(await documentFindings(document, shown, text, open)),
    ...(kind === 'join' ? await contextFindings(value, shown, open) : []),
    ...(options.named && resultOf(document) === 'rejected'
      ? [finding('witness_rejected', shown, 'its result is a failure')]
      : []),
    ...(options.tree && treeDigest !== null ? await treeFindings(shown, treeDigest, open) : []),
  ]
  const issueId = textOr(value['issueId'])
  const about = { kind, name: shown, digest: `sha256:${digest}`, issueId, treeDigest }
  return verdictOf({ ...about, path: shown, findings })
}

const textOr = (value: unknown) => (typeof value === 'string' ? value : null)

const unknown = (path: string) => ({
  kind: 'witness',
  name: path,
  path,
  digest: null,
  issueId: null,
  treeDigest: null,
})

/** The name of the file must be its digest. */
function nameFindings(
  { path, name }: Pick<Extract<NamedWitness, { is: 'witness' }>, 'path' | 'name'>,
  called: unknown,
  digest: string,
): readonly ProofFinding[] {
  const base = name.replace(/\.json$/, '')
  const namedDigest = linkIn(name)?.digest ?? base.replace(/^[a-z]+-/, '')
  if (base === called || namedDigest === digest) return []
  return [finding('witness_changed', path, `its name is not its digest, ${digest}`)]
}

async function treeFindings(at: string, witnessed: string | null, open: OpenWitnesses) {
  if (witnessed === null) return [finding('witness_tree_changed', at, 'no tree was witnessed')]
  const tree = await open.tree()
  if (tree === witnessed) return []
  return [
    finding(
      'witness_tree_changed',
      at,
      `the files are ${tree}, but the witness is about ${witnessed}`,
    ),
  ]
}

/** Every proof, every closed issue, and every witness. */
export async function* verdictsOnAll(
  open: OpenWitnesses,
  options: Pick<VerdictOptions, 'tree' | 'allowForced' | 'signatures'>,
): AsyncIterable<Verdict> {
  const all = { ...options, named: false }
  const imported = await importedIssues(open)
  const closed = closedFolders(open)
  const folders = await proofFolders(open)
  for (const path of folders) yield* onFolder(path, closed.get(path), open, all)
  const known = new Set(folders)
  for (const [path, issueId] of closed) {
    if (known.has(path)) continue
    if (imported.has(issueId)) {
      yield verdictOf({ ...unknown(shownPath(path, open)), ...importedAs(issueId), findings: [] })
      continue
    }
    const missing = { is: 'proof', path, files: undefined, isKept: true, issueId } as const
    yield await onProof(missing, open, all)
  }
  for (const { path, name } of await storedWitnesses(open)) {
    const read = await witnessText(path, open)
    const shown = shownPath(path, open)
    yield 'why' in read
      ? verdictOf({ ...unknown(shown), findings: [finding('witness_unreadable', shown, read.why)] })
      : await onWitness({ is: 'witness', path, name, text: read.text }, open, {
          ...all,
          tree: false,
        })
  }
}

const importedAs = (issueId: string) => ({ kind: 'imported', name: issueId, issueId })

/** The folder for the proof of each closed issue. A row that was written by hand has none. */
function closedFolders({ memory, proofs }: OpenWitnesses): ReadonlyMap<string, string> {
  const closed = (memory?.all() ?? []).filter(issue => issue.status === 'closed')
  return new Map(closed.map(({ id }) => [proofs.folderOf(id), id]))
}

/** Each close by itself, then the files that no close names. */
async function* onFolder(
  path: string,
  issueId: string | undefined,
  open: OpenWitnesses,
  options: VerdictOptions,
): AsyncIterable<Verdict> {
  const folder = await proofFolderAt(path, open)
  const closes = folder?.closes ?? []
  for (const close of closes.length > 0 || issueId === undefined ? closes : ['']) {
    const files = await folder?.filesOf(close)
    yield await onProof({ is: 'proof', path, files, isKept: true }, open, options)
  }
  const findings = folder ? unnamedFileFindings(folder) : []
  const shown = shownPath(path, open)
  if (findings.length > 0) yield verdictOf({ ...unknown(shown), kind: 'strays', findings })
}
