import { Fault } from '../../fault.ts'
import { countField, flagField, textField } from '../../field.ts'
import { sandboxField } from '../../input/harness-fields.ts'
import { allowForcedField, memoryFields } from '../../input/issue-fields.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { jsonIn } from '../../kernel/json.ts'
import { isForced } from '../../kernel/proof/close-kind.ts'
import { landedOf } from '../../kernel/proof/proof-chain.ts'
import type { Rerun } from '../../kernel/proof/rerun.ts'
import { rerunStatement } from '../../kernel/proof/signed-statement.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject, type Project } from '../../project/open.ts'
import { type OpenWitnesses, openWitnesses } from '../../project/open-witnesses.ts'
import { signerOf } from '../../project/proofs/birth-signing.ts'
import type { SignatureOptions } from '../../project/proofs/link-signatures.ts'
import { trustRoot } from '../../project/proofs/trust-root.ts'
import type { Verdict } from '../../project/proofs/witness-verdict.ts'
import { rerunLine, rerunsPage, rerunWords, type SignedRerun } from '../../render/rerun-page.ts'
import { verdictsPage, verdictsReport, verifiedLine } from '../../render/witness-verdicts.ts'
import { WitnessVerifyAnswer } from '../../wire/answers/witness.ts'
import type { Trust } from '../../wire/proof/trust.ts'
import { operation } from '../operation.ts'

export const witnessVerify = operation({
  group: 'witness',
  summary: 'Verify witnesses and the proofs of closed issues, offline.',
  description:
    'Recomputes every digest, follows the links from claim to turn to verification to close, checks each document against its schema, judges a kept turn again, and compares the proof with the issue. A changed byte is found and its file named. A proof is judged by its own files; problems of earlier closes or of files beside it are listed under beside. Names are issues, files, bundles, digests or digest prefixes. With --all it checks every proof and witness, and stray files among the proofs; rejected witnesses and proofs of reopened issues are then not failures, and a closed issue without proof is one, unless it was imported closed. An attestation must cover the proofs that are named with it. With --rerun it also runs the verification of the issues again, which is meant for CI: it checks out the commit of each issue in a temporary folder, and runs there, in the sandbox if one works, the verify command, the required checks and the specs of the commit before it. An issue that may bring its specs (--writes-specs) is judged by those of its own commit. Commands in the proof are compared and never run. If keys are trusted, by --trust or by .premath/trust.json of this checkout, it says for each link of a proof who signed it; a rerun whose caller has a key of role ci is signed. The commit that is judged has no say in which keys count. Exits 0 if everything verifies, 1 for a negative verdict such as other files, a rejected witness or a close by force (unless --allow-forced), 3 if a verification cannot run again, and 5 if content does not match its digest.',
  effect: 'read',
  opId: 'op/witness.verify',
  input: {
    names: textField('name', 'An issue, a file, or a digest or its prefix.', {
      positional: true,
      names: 'issue',
      many: true,
    }),
    all: flagField('Every proof and every witness.'),
    issue: textField('id', 'An issue, as if named.', { names: 'issue', many: true }),
    rerun: flagField('Run the verification of these issues again, each on its commit.'),
    verifyCmd: textField(
      'command',
      'For --rerun: the verify command; without it, that of the commit before the work.',
    ),
    verifyRequired: flagField(
      'For --rerun: run the required checks of each commit too, by the rules of the commit before the work. Also the setting verifyRequired there.',
    ),
    timeout: countField('seconds', 'For --rerun: the timeout of each command.'),
    ...sandboxField,
    ...allowForcedField,
    tree: flagField('Require the current files to match the witnessed tree.'),
    attestation: textField(
      'file',
      'The output of witness export --attest; requires --public-key.',
      { path: true },
    ),
    publicKey: textField('file', 'The public key of the expected signer.', { path: true }),
    trust: textField(
      'file',
      'The keys whose signatures count; without it, .premath/trust.json of this checkout.',
      { path: true },
    ),
    requireSigned: flagField(
      'Reject a proof if a trusted key did not sign each link and its close.',
    ),
    requireSandbox: flagField('Reject a proof of work that was verified without a sandbox.'),
    ...memoryFields,
  },
  output: WitnessVerifyAnswer,
  examples: {
    'premath witness verify bd-1': 'whether the proof holds',
    'premath witness verify bd-1 --tree': 'the same, including the current files',
    'premath witness verify --all --rerun --timeout 600':
      'whether every verification can be reproduced',
    'premath witness verify --all --require-signed --require-sandbox':
      'whether trusted keys signed everything',
    'premath witness verify --all --json': 'everything that fails to verify',
    'premath witness verify --attestation bd-1.intoto.jsonl --public-key ed25519.pub.pem':
      'whether the attestation is signed by that key',
  },

  async run(input, context) {
    mustAsk(input)
    const project = await openProject(context)
    const open = await openWitnesses(project, input)
    const signatures = await signatureOptions(input, project)
    const verdicts = await verdictsOf(input, open, signatures, context)
    const ran = input.rerun ? await rerunsOf(input, open, project) : []
    const reruns = await signedReruns(ran, open, signatures?.trust, project)
    const { exitCode, ...report } = verdictsReport(verdicts, reruns)
    return {
      output: { action: 'witness.verify', ...report, ...(input.rerun && { reruns }) },
      yes: exitCode === 0,
      exitCode,
      render: page =>
        verdictsPage(verdicts, input.all ? 'failed' : 'all', page) +
        rerunsPage(reruns, page) +
        `${page.ink('dim', [verifiedLine(verdicts), ...rerunWords(reruns)].join('\n'))}\n`,
    }
  },
})

interface VerifyInput {
  readonly names: readonly string[]
  readonly all: boolean
  readonly issue: readonly string[]
  readonly rerun: boolean
  readonly verifyCmd: string | undefined
  readonly verifyRequired: boolean
  readonly timeout: number | undefined
  readonly sandbox: 'auto' | 'require' | 'off' | undefined
  readonly allowForced: boolean
  readonly tree: boolean
  readonly attestation: string | undefined
  readonly publicKey: string | undefined
  readonly trust: string | undefined
  readonly requireSigned: boolean
  readonly requireSandbox: boolean
}

function mustAsk(input: VerifyInput): void {
  const { names, all, issue, rerun, verifyCmd, timeout, sandbox, attestation, publicKey } = input
  const given = {
    '--verify-cmd': verifyCmd,
    '--verify-required': input.verifyRequired || undefined,
    '--timeout': timeout,
    '--sandbox': sandbox,
  }
  for (const [flag, value] of Object.entries(given)) {
    if (!rerun && value !== undefined) throw new Fault('usage', `${flag} requires --rerun`)
  }
  if (timeout === 0) throw new Fault('usage', '--timeout must be greater than 0')
  if ((attestation === undefined) !== (publicKey === undefined)) {
    throw new Fault('usage', '--attestation and --public-key must be given together')
  }
  if (names.length > 0 || issue.length > 0 || all || attestation !== undefined) return
  throw new Fault('usage', 'nothing to verify', {
    hint: 'Name an issue, a file or a digest, or pass --all.',
  })
}

async function verdictsOf(
  { names, issue, all, allowForced, tree, attestation, publicKey }: VerifyInput,
  open: OpenWitnesses,
  signatures: SignatureOptions | undefined,
  context: OperationContext,
): Promise<readonly Verdict[]> {
  // The schemas are large, and help needs none.
  const { namedWitness } = await import('../../project/proofs/witness-named.ts')
  const { verdictOn, verdictsOnAll } = await import('../../project/proofs/witness-verdict.ts')
  const options = { tree, named: true, allowForced, signatures }
  const verdicts: Verdict[] = []
  for (const name of [...names, ...issue]) {
    verdicts.push(await verdictOn(await namedWitness(name, open, context), open, options))
  }
  const named = [...verdicts]
  if (all) for await (const verdict of verdictsOnAll(open, options)) verdicts.push(verdict)
  if (attestation === undefined || publicKey === undefined) return verdicts
  const { attestationVerdicts } = await import('../../project/proofs/attestation-verdict.ts')
  const asked = { attestation, publicKey, named }
  return [...verdicts, ...(await attestationVerdicts(asked, open, options, context))]
}

/** `undefined` if no key is trusted here, and the command asks for nothing. */
async function signatureOptions(
  { trust: given, requireSigned, requireSandbox }: VerifyInput,
  project: Project,
): Promise<SignatureOptions | undefined> {
  const trust = await trustRoot(given, project)
  if (trust === undefined && !requireSigned && !requireSandbox) return undefined
  const { openSigned } = await project.signing()
  return { trust: trust ?? { schema: 1, keys: [] }, requireSigned, requireSandbox, openSigned }
}

/** Signs the results, if the key of this caller is trusted as one of CI. */
async function signedReruns(
  reruns: readonly Rerun[],
  open: OpenWitnesses,
  trust: Trust | undefined,
  project: Project,
): Promise<readonly SignedRerun[]> {
  const ci = (trust?.keys ?? []).filter(({ role }) => role === 'ci')
  if (reruns.length === 0 || ci.length === 0) return reruns
  const signer = await signerOf(project)
  if (signer === undefined || !ci.some(({ keyId }) => keyId === signer.keyId)) return reruns
  return reruns.map(rerun => {
    const issue = open.memory?.get(rerun.issueId)
    const landed = issue && landedOf(issue)
    const statement = landed && rerunStatement(rerun, landed, open.sha256)
    if (statement === undefined) return rerun
    return { ...rerun, signedBy: signer.keyId, envelope: jsonIn(signer.sign(statement)) ?? null }
  })
}

/** The closed issues that the command names; with `--all` every one that this project closed. */
async function rerunsOf(
  { names, issue, all, allowForced, verifyCmd, verifyRequired, timeout, sandbox }: VerifyInput,
  open: OpenWitnesses,
  project: Project,
): Promise<readonly Rerun[]> {
  const { rerunIssues } = await import('../../project/proofs/rerun.ts')
  const { importedIssues } = await import('../../project/proofs/imported-issues.ts')
  const named = new Set([...names, ...issue])
  const known = await importedIssues(open)
  const isAsked = (one: Issue) =>
    named.has(one.id) || (all && one.status === 'closed' && !(allowForced && isForced(one)))
  const asked = (open.memory?.all() ?? []).filter(isAsked)
  const imported = asked.filter(({ id }) => known.has(id) && !named.has(id))
  const issues = asked.filter(one => !imported.includes(one))
  const progress = { total: issues.length, done: 0, issueId: '', what: '' }
  const timeoutMs = timeout === undefined ? undefined : timeout * 1000
  const options = { verifyCmd, verifyRequired, timeoutMs, sandbox }
  return await project.withStatusLine(rerunLine(progress, project.clock), () =>
    rerunIssues({ issues, imported }, options, { open, project, progress }),
  )
}
