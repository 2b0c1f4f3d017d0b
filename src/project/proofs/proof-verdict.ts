/** Verifies the proof of a closed issue. */
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { isJsonObject, jsonIn } from '../../kernel/json.ts'
import type { ProofPart } from '../../kernel/proof/proof-chain.ts'
import {
  chainTextFindings,
  checkLinks,
  provenFindings,
  rowFindings,
} from '../../kernel/proof/proof-check.ts'
import { finding, type ProofFinding } from '../../kernel/proof/proof-classes.ts'
import { proofFilesFor, proofFolderName } from '../../kernel/proof/proof-folder.ts'
import { ProofChain } from '../../wire/proof/proof-chain.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import type { ProofFiles } from './proof-files.ts'
import { documentFindings, shapeFinding } from './witness-document.ts'

export interface ProofVerdict {
  /** `undefined` where it cannot be read. */
  readonly chain: ProofChain | undefined
  readonly parts: readonly ProofPart[]
  readonly findings: readonly ProofFinding[]
}

const strayNamesMax = 20

/** Files that belong to no proof. They do not change the verdict on a proof. */
export const unnamedFileFindings = ({
  strays,
}: Pick<ProofFiles, 'strays'>): readonly ProofFinding[] =>
  strays.toSorted().slice(0, strayNamesMax).map(strayFileFinding)

/** Uses the files of the proof alone, and neither the issue's row nor the tree. */
export async function proofVerdict(
  { chain: name, texts }: Pick<ProofFiles, 'chain' | 'texts'>,
  open: Pick<OpenWitnesses, 'gate' | 'sha256'>,
): Promise<ProofVerdict> {
  const sealed = sealedChain(name, texts.get(name), open)
  if ('failureClass' in sealed) return { chain: undefined, parts: [], findings: [sealed] }
  const { chain, findings: seal } = sealed
  const { findings: broken, parts } = checkLinks(chain, texts, open.sha256)
  const named = new Set([name, ...chain.links.map(({ file }) => file)])
  const unnamed = [...texts.keys()].filter(file => !named.has(file))
  const inside: ProofFinding[] = []
  for (const { file, text, ...document } of parts) {
    inside.push(...(await documentFindings(document, file, text, open)))
  }
  const whole = seal.length + broken.length + inside.length === 0
  return {
    chain,
    parts,
    findings: [
      ...seal,
      ...broken,
      ...inside,
      // A changed part proves nothing, and has its own finding.
      ...(whole ? provenFindings(chain, parts) : []),
      ...unnamedFileFindings({ strays: unnamed }),
    ],
  }
}

const strayFileFinding = (name: string) => finding('proof_stray', name, 'no chain names it')

function sealedChain(
  name: string,
  file: { readonly text: string } | { readonly why: string } | undefined,
  { sha256 }: Pick<OpenWitnesses, 'sha256'>,
): { readonly chain: ProofChain; readonly findings: readonly ProofFinding[] } | ProofFinding {
  if (file === undefined) return finding('witness_unreadable', name || 'chain', 'it is gone')
  if ('why' in file) return finding('witness_unreadable', name, file.why)
  const value = jsonIn(file.text)
  if (!isJsonObject(value)) return finding('witness_changed', name, 'it is not a JSON object')
  const misshapen = shapeFinding(ProofChain, value, name)
  if (misshapen) return misshapen
  const findings = chainTextFindings(value, { name, text: file.text }, sha256)
  return { chain: value as unknown as ProofChain, findings }
}

/** Compares the proof with the issue in memory. */
export function memoryFindings(
  chain: ProofChain,
  { folder, others }: { readonly folder: string; readonly others: readonly string[] },
  { memory, sha256 }: Pick<OpenWitnesses, 'memory' | 'sha256'>,
): readonly ProofFinding[] {
  const { issueId } = chain
  if (folder !== proofFolderName(issueId, sha256)) {
    return [finding('proof_row_mismatch', folder, `it holds the proof of ${issueId}`)]
  }
  const issue = memory?.get(issueId)
  if (issue === undefined) return [finding('proof_superseded', issueId, 'there is no such issue')]
  const counting = closeOf(issue)?.['chain']
  const inForce = typeof counting === 'string' ? proofFilesFor(counting) : []
  if (inForce.some(file => others.includes(file))) {
    return [finding('proof_superseded', issueId, 'its row names another close')]
  }
  return rowFindings(chain, issue)
}
