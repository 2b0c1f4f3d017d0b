/** The proof of an issue in one document: as a bundle, or as statements that are signed. */
import { secondOf } from '../kernel/harness/artifact.ts'
import { statementsOf } from '../kernel/work/attestation.ts'
import { exitCodeOf, finding, type ProofFinding } from '../kernel/work/proof-classes.ts'
import { proofFolderName } from '../kernel/work/proof-folder.ts'
import type { ProofChain } from '../wire/proof-chain.ts'
import { about } from './json-input.ts'
import type { OpenWitnesses } from './open-witnesses.ts'
import type { Answer, OperationContext, Outcome } from './operation.ts'
import { printJsonLine } from './print-json.ts'
import { type ProofFiles, printBundle, proofFilesIn } from './proof-files.ts'
import { memoryFindings, type ProofVerdict, proofVerdict } from './proof-verdict.ts'
import { safeOutput } from './safe-output.ts'
import { keyPath, privateKeyAt } from './signing-key.ts'
import { version } from './version.ts'
import { visible } from './visible.ts'
import { classesOf, findingsTalk } from './witness-fields.ts'

export interface ProofExport {
  readonly id: string
  readonly output: string | undefined
  readonly attest: boolean
  readonly key: string | undefined
}

/** Only what holds is exported: what is not is answered, and nothing is written. */
export async function exportProof(
  asked: ProofExport,
  open: OpenWitnesses,
  context: OperationContext,
): Promise<Outcome<unknown>> {
  const { id, attest, key } = asked
  const files = await proofFilesIn(open.proofs.folderOf(id), open)
  if (files === undefined) return refusal([finding('proof_missing', id, 'it has no proof')])
  const verdict = await proofVerdict(files, open)
  const { chain } = verdict
  const place = { folder: proofFolderName(id, context.sha256), others: files.others }
  const rows = chain ? memoryFindings(chain, place, open) : []
  const findings = [...verdict.findings, ...rows]
  if (chain === undefined || findings.length > 0) return refusal(findings)
  if (attest && chain.treeDigest === null) {
    const why = `it was closed by force: nothing was verified. To have that, open it again, and close it with proof: premath issue update ${id} --status open`
    return refusal([finding('proof_unmet', id, why)])
  }
  const text = attest
    ? await attested({ ...verdict, chain }, keyPath(key, context), context)
    : bundled(files, chain)
  return await written(text, { ...asked, chain }, open, context)
}

function refusal(findings: readonly ProofFinding[]): Answer<unknown> {
  const exitCode = exitCodeOf(findings)
  const result = exitCode === 1 ? 'rejected' : 'broken'
  const failureClasses = classesOf(findings)
  return {
    output: { action: 'witness.export', failureClasses, findings, result },
    yes: false,
    exitCode,
    ...findingsTalk(findings),
    render: () => '',
  }
}

function bundled({ texts }: ProofFiles, { issueId, chainDigest }: ProofChain): string {
  const files = [...texts].map(([name, file]) => [name, 'text' in file ? file.text : ''])
  return printBundle({
    schema: 1,
    bundleKind: 'premath.proof.bundle.v1',
    issueId,
    chainDigest,
    files: Object.fromEntries(files),
  })
}

async function attested(
  { chain, parts }: ProofVerdict & { readonly chain: ProofChain },
  path: string,
  context: OperationContext,
): Promise<string> {
  const [key, signing] = [await privateKeyAt(path, context), await context.signing()]
  const by = {
    version,
    verifiedAt: secondOf(context.clock.now()),
    folder: proofFolderName(chain.issueId, context.sha256),
  }
  const type = 'application/vnd.in-toto+json'
  const lines = statementsOf(chain, parts, by, context.sha256).map(statement =>
    about(path, () => signing.sign(type, JSON.stringify(statement), key)),
  )
  return (await Promise.all(lines)).map(printJsonLine).join('')
}

interface Written extends ProofExport {
  readonly chain: ProofChain
}

async function written(
  text: string,
  { id, output, chain, attest }: Written,
  open: OpenWitnesses,
  context: OperationContext,
): Promise<Outcome<unknown>> {
  if (output === undefined) return { stream: once(text), exitCode: () => 0 }
  const project = { root: open.root, store: { path: open.issuesPath } }
  const path = await safeOutput(output, project, context)
  await open.disk.replace(path, new TextEncoder().encode(text))
  const { chainDigest } = chain
  const format = attest ? 'attestation' : 'bundle'
  return {
    output: { action: 'witness.export', chainDigest, format, issueId: id, outputPath: output },
    yes: true,
    render: () => `Exported the proof of ${visible(id)} to ${visible(output)}\n`,
  }
}

async function* once(text: string): AsyncIterable<string> {
  yield text
}
