import { type Answer, type Outcome, refusedAnswer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { flagField, textField } from '../../field.ts'
import { idField, memoryFields } from '../../input/issue-fields.ts'
import type { OverrideActor } from '../../kernel/authority/override-actor.ts'
import { secondOf } from '../../kernel/harness/artifact.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { statementsOf } from '../../kernel/proof/attestation.ts'
import { printBundle } from '../../kernel/proof/proof-bundle.ts'
import { exitCodeOf, finding, type ProofFinding } from '../../kernel/proof/proof-classes.ts'
import { proofFolderName, signaturesFileOf } from '../../kernel/proof/proof-folder.ts'
import { printJsonLine } from '../../kernel/text/print-json.ts'
import { visible } from '../../kernel/text/visible.ts'
import { askOverride } from '../../project/authority/override.ts'
import type { OperationContext } from '../../project/context.ts'
import { namingSource } from '../../project/named-document.ts'
import { openProject, type Project } from '../../project/open.ts'
import type { OpenWitnesses } from '../../project/open-witnesses.ts'
import { openWitnesses } from '../../project/open-witnesses.ts'
import { linkSignatures, signatureFindings } from '../../project/proofs/link-signatures.ts'
import { type ProofFiles, proofFilesIn } from '../../project/proofs/proof-files.ts'
import {
  memoryFindings,
  type ProofVerdict,
  proofVerdict,
} from '../../project/proofs/proof-verdict.ts'
import { isDefaultKey, keyField, keyPath, privateKeyAt } from '../../project/proofs/signing-key.ts'
import { trustRoot } from '../../project/proofs/trust-root.ts'
import { safeOutput } from '../../project/safe-output.ts'
import { classesOf, findingError, findingsMessage } from '../../render/witnesses.ts'
import { WitnessExportAnswer } from '../../wire/answers/witness.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { operation } from '../operation.ts'
import { refusedIn } from '../people-only.ts'

export const witnessExport = operation({
  group: 'witness',
  summary: 'Export the proof of a closed issue.',
  description:
    'Writes a bundle that witness verify reads anywhere, without the project. With --attest it writes signed in-toto statements instead, one envelope per line, after a question at the terminal. Without a terminal it signs only with a key that --key names, and only if the policy on the target branch has "override": "script", which is the way for CI. There it signs only proofs that a trusted key signed when they were made, if .premath/trust.json lists keys. The proof is verified first. If it does not hold, nothing is written and the exit code is 1 or 5, as for witness verify.',
  effect: 'read',
  opId: 'op/witness.export',
  input: {
    ...idField,
    output: textField('file', 'The file to write; default stdout.', { path: true }),
    attest: flagField('Write signed in-toto statements (DSSE).'),
    key: keyField,
    ...memoryFields,
  },
  output: WitnessExportAnswer,
  examples: {
    'premath witness export bd-1 --output bd-1.proof.json': 'a bundle',
    'premath witness export bd-1 --attest --output bd-1.intoto.jsonl':
      'the same as signed statements',
    'premath witness export bd-1 --attest --key "$CI_KEY" --output bd-1.intoto.jsonl':
      'the same in CI, where nobody can be asked',
  },

  async run({ id, output, attest, key, issues }, context) {
    if (key !== undefined && !attest) throw new Fault('usage', '--key requires --attest')
    const project = await openProject(context)
    const open = await openWitnesses(project, { issues })
    return await exportProof({ id, output, attest, key }, open, project)
  },
})

interface ProofExport {
  readonly id: string
  readonly output: string | undefined
  readonly attest: boolean
  readonly key: string | undefined
}

/** Exports verified proofs only. For any other it reports why and writes nothing. */
async function exportProof(
  asked: ProofExport,
  open: OpenWitnesses,
  project: Project,
): Promise<Outcome<unknown>> {
  const { id, attest, key } = asked
  const files = await proofFilesIn(open.proofs.folderOf(id), open)
  if (files === undefined) return refusal([finding('proof_missing', id, 'it has no proof')])
  const verdict = await proofVerdict(files, open)
  const { chain } = verdict
  const place = { folder: proofFolderName(id, project.sha256), others: files.others }
  const rows = chain ? memoryFindings(chain, place, open) : []
  const findings = [...verdict.findings, ...rows]
  if (chain === undefined || findings.length > 0) return refusal(findings)
  if (attest && chain.treeDigest === null) {
    const why = `it was closed by force: nothing was verified. To attest it, reopen it and close it with proof: premath issue update ${id} --status open`
    return refusal([finding('proof_unmet', id, why)])
  }
  if (!attest) {
    return await written(
      bundled(files, chain, files.signatures),
      { ...asked, chain },
      open,
      project,
    )
  }
  const confirmedBy = await confirmedSigning(chain, key, project)
  if ('output' in confirmedBy) return confirmedBy
  const unsigned = project.confirmer() ? [] : await unsignedFindings(files, verdict, project)
  if (unsigned.length > 0) return refusal(unsigned)
  const by = { bundle: bundled(files, chain), path: keyPath(key, project), confirmedBy }
  const text = await attested({ ...verdict, chain }, by, project)
  return await written(text, { ...asked, chain }, open, project)
}

function refusal(findings: readonly ProofFinding[]): Answer<unknown> {
  const exitCode = exitCodeOf(findings)
  const result = exitCode === 1 ? 'rejected' : 'broken'
  const failureClasses = classesOf(findings)
  return {
    output: { action: 'witness.export', failureClasses, findings, result },
    ...findingError(findings),
    yes: false,
    exitCode,
    ...findingsMessage(findings),
    render: () => '',
  }
}

/** With the signatures of its links, if given. The bundle in the project has them beside it. */
function bundled({ texts }: ProofFiles, chain: ProofChain, signatures = ''): string {
  const files = [...texts].map(([name, file]) => [name, 'text' in file ? file.text : ''] as const)
  const signed = [signaturesFileOf(chain.chainDigest), signatures] as const
  return printBundle(chain, signatures === '' ? files : [...files, signed])
}

interface Signing {
  readonly bundle: string
  /** The key. */
  readonly path: string
  readonly confirmedBy: OverrideActor
}

async function attested(
  { chain, parts }: ProofVerdict & { readonly chain: ProofChain },
  { path, ...given }: Signing,
  context: OperationContext,
): Promise<string> {
  const [key, signing] = [await privateKeyAt(path, context), await context.signing()]
  const by = {
    verifiedAt: secondOf(context.clock.now()),
    folder: proofFolderName(chain.issueId, context.sha256),
    ...given,
  }
  const type = 'application/vnd.in-toto+json'
  const lines = statementsOf(chain, parts, by, context.sha256).map(statement =>
    namingSource(path, () => signing.sign(type, JSON.stringify(statement), key)),
  )
  return (await Promise.all(lines)).map(printJsonLine).join('')
}

/**
 * A signature says that a person, or CI, stands behind the proof. So the key of a person signs only
 * what that person confirms, and CI names its own key. Returns who confirmed it, or the refusal.
 */
async function confirmedSigning(
  { issueId, landed }: ProofChain,
  key: string | undefined,
  project: Project,
): Promise<OverrideActor | Answer<unknown>> {
  const action = 'witness.export'
  const path = keyPath(key, project)
  const at = landed ? `, commit ${landed.commit.slice(0, 12)} on ${landed.target}` : ''
  const what = 'sign a proof'
  const question = `Sign the proof of ${issueId}${at} with ${path}?`
  // The key of a person signs only what that person confirms, whatever the policy says.
  if (project.confirmer() === undefined && (await isDefaultKey(path, project))) {
    throw new Fault('usage', 'without a terminal nobody can be asked, so nothing was signed', {
      hint: 'Run it at a terminal, over ssh with ssh -t. In CI, name a key of CI: --key <file>.',
      detail: { path },
    })
  }
  const by = await askOverride({ what, question }, project)
  if (!isRefusal(by)) return by
  if (by.failureClass !== 'override_declined') {
    return refusedAnswer({ action, issueId }, refusedIn(by))
  }
  return {
    output: { action, issueId, isSigned: false, result: 'declined' },
    yes: false,
    message: 'Nothing was signed.',
    render: () => '',
  }
}

/** Without a person, and where keys are trusted: what no trusted key signed when it was made. */
async function unsignedFindings(
  files: ProofFiles,
  verdict: ProofVerdict,
  context: OperationContext,
): Promise<readonly ProofFinding[]> {
  const trust = await trustRoot(undefined, await openProject(context))
  if (trust === undefined || verdict.chain === undefined) return []
  const { openSigned } = await context.signing()
  const options = { trust, requireSigned: true, requireSandbox: false, openSigned }
  const signatures = linkSignatures(files, verdict, options, context.sha256)
  return signatureFindings(verdict.chain, verdict, signatures, options)
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
  const path = await safeOutput(output, open, context)
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
