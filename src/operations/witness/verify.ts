import { Fault } from '../../fault.ts'
import { flagField, textField } from '../../field.ts'
import { allowForcedField, memoryFields } from '../../input/issue-fields.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { type OpenWitnesses, openWitnesses } from '../../project/open-witnesses.ts'
import type { Verdict } from '../../project/proofs/witness-verdict.ts'
import { verdictsPage, verdictsReport, verifiedLine } from '../../render/witness-verdicts.ts'
import { operation } from '../operation.ts'

export const witnessVerify = operation({
  group: 'witness',
  summary: 'Verify witnesses and the proofs of closed issues, offline.',
  description:
    'Recomputes every digest, follows the links from claim to turn to verification to close, checks each document against its schema, judges a kept turn again, and compares the proof with the issue. A changed byte is found and its file named. A proof is judged by its own files; problems of earlier closes or of files beside it are listed under beside. Names are issues, files, bundles, digests or digest prefixes. With --all it checks every proof and witness, and stray files among the proofs; rejected witnesses and proofs of reopened issues are then not failures, and a closed issue without proof is one, unless it was imported closed. An attestation must cover the proofs that are named with it. Exits 0 if everything verifies, 1 for a negative verdict such as other files, a rejected witness or a close by force (unless --allow-forced), and 5 if content does not match its digest.',
  effect: 'read',
  input: {
    names: textField('name', 'An issue, a file, or a digest or its prefix.', {
      positional: true,
      names: 'issue',
      many: true,
    }),
    all: flagField('Every proof and every witness.'),
    ...allowForcedField,
    tree: flagField('Require the current files to match the witnessed tree.'),
    attestation: textField(
      'file',
      'The output of witness export --attest; requires --public-key.',
      { path: true },
    ),
    publicKey: textField('file', 'The public key of the expected signer.', { path: true }),
    ...memoryFields,
  },
  examples: {
    'premath witness verify bd-1': 'whether the proof holds',
    'premath witness verify bd-1 --tree': 'the same, including the current files',
    'premath witness verify --all --json': 'everything that fails to verify',
    'premath witness verify --attestation bd-1.intoto.jsonl --public-key ed25519.pub.pem':
      'whether the attestation is signed by that key',
  },

  async run(input, context) {
    mustAsk(input)
    const open = await openWitnesses(await openProject(context), input)
    const verdicts = await verdictsOf(input, open, context)
    const { exitCode, ...report } = verdictsReport(verdicts)
    return {
      output: { action: 'witness.verify', ...report },
      yes: exitCode === 0,
      exitCode,
      render: page =>
        verdictsPage(verdicts, input.all ? 'failed' : 'all', page) +
        `${page.ink('dim', verifiedLine(verdicts))}\n`,
    }
  },
})

interface VerifyInput {
  readonly names: readonly string[]
  readonly all: boolean
  readonly allowForced: boolean
  readonly tree: boolean
  readonly attestation: string | undefined
  readonly publicKey: string | undefined
}

function mustAsk({ names, all, attestation, publicKey }: VerifyInput): void {
  if ((attestation === undefined) !== (publicKey === undefined)) {
    throw new Fault('usage', '--attestation and --public-key must be given together')
  }
  if (names.length > 0 || all || attestation !== undefined) return
  throw new Fault('usage', 'nothing to verify', {
    hint: 'Name an issue, a file or a digest, or pass --all.',
  })
}

async function verdictsOf(
  { names, all, allowForced, tree, attestation, publicKey }: VerifyInput,
  open: OpenWitnesses,
  context: OperationContext,
): Promise<readonly Verdict[]> {
  // The schemas are large, and help needs none.
  const { namedWitness } = await import('../../project/proofs/witness-named.ts')
  const { verdictOn, verdictsOnAll } = await import('../../project/proofs/witness-verdict.ts')
  const options = { tree, named: true, allowForced }
  const verdicts: Verdict[] = []
  for (const name of names) {
    verdicts.push(await verdictOn(await namedWitness(name, open, context), open, options))
  }
  const named = [...verdicts]
  if (all) for await (const verdict of verdictsOnAll(open, options)) verdicts.push(verdict)
  if (attestation === undefined || publicKey === undefined) return verdicts
  const { attestationVerdicts } = await import('../../project/proofs/attestation-verdict.ts')
  const asked = { attestation, publicKey, named }
  return [...verdicts, ...(await attestationVerdicts(asked, open, options, context))]
}
