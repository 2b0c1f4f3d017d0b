/** Verifies signed statements: their signature, and what they state. */

import { Fault } from '../../fault.ts'
import { flawIn } from '../../kernel/artifact/flaw.ts'
import { jsonIn } from '../../kernel/json.ts'
import { attestedChain, treeAlgorithm } from '../../kernel/proof/attestation.ts'
import { exitCodeOf, finding, type ProofFinding } from '../../kernel/proof/proof-classes.ts'
import { Envelope, Statement, summaryType } from '../../wire/proof/attestation.ts'
import type { Shape, ValueOf } from '../../wire/shape.ts'
import type { OperationContext } from '../context.ts'
import { namingSource } from '../named-document.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'
import { readSmall, Unreadable } from '../small-document.ts'
import { publicKeyAt } from './signing-key.ts'
import type { Verdict, VerdictOptions } from './witness-verdict.ts'

const attestationBytesMax = 16 * 1024 * 1024

interface Asked {
  readonly attestation: string
  readonly publicKey: string
  /** The verdicts on what the command names; with none, a statement may be about anything. */
  readonly named: readonly Verdict[]
}

/** The file holds one envelope per line. */
export async function attestationVerdicts(
  { attestation, publicKey, named }: Asked,
  open: OpenWitnesses,
  options: VerdictOptions,
  context: OperationContext,
): Promise<readonly Verdict[]> {
  const text = await readSmall(attestation, context, attestationBytesMax)
  if (text instanceof Unreadable) {
    throw new Fault('invalid_input', `${attestation} cannot be read: ${text.why}`)
  }
  const key = await publicKeyAt(publicKey, context)
  const signing = await context.signing()
  const lines = text.split('\n').filter(line => line.trim() !== '')
  if (lines.length === 0) lines.push('')
  const verdicts: Verdict[] = []
  const summed = new Set<string>()
  for (const [index, line] of lines.entries()) {
    const name = `${attestation}:${index + 1}`
    const payload = await namingSource(publicKey, () =>
      openedEnvelope(line, name, key, signing.openSigned),
    )
    const statement = typeof payload === 'string' ? documentIn(Statement, payload) : undefined
    for (const digest of statement ? chainsIn(statement) : []) summed.add(digest)
    const verdict = await onStatement(payload, name, open, options)
    verdicts.push(statement ? withOthers(verdict, statement, named) : verdict)
  }
  return [...verdicts, ...unattested(attestation, named, summed)]
}

/** The digests of the proofs that a summary names. */
const chainsIn = (statement: Statement): readonly string[] =>
  statement.predicateType === summaryType
    ? (statement.predicate.inputAttestations ?? []).flatMap(proof => attestedChain(proof) ?? [])
    : []

/** Rejects a statement about something else: by its proof if it names one, else by its tree. */
function withOthers(verdict: Verdict, statement: Statement, named: readonly Verdict[]): Verdict {
  const chains = chainsIn(statement)
  const isOwn = named.some(({ digest, treeDigest }) =>
    chains.length > 0
      ? chains.some(chain => digest === `sha256:${chain}`)
      : treeDigest === verdict.treeDigest,
  )
  if (named.length === 0 || isOwn) return verdict
  const found = finding(
    'attestation_other',
    verdict.path,
    'it is about something else than the command names',
  )
  return { ...verdict, result: 'rejected', findings: [...verdict.findings, found] }
}

/** A statement about the same files is not enough: it does not say that the issue was verified. */
function unattested(
  path: string,
  named: readonly Verdict[],
  summed: ReadonlySet<string>,
): readonly Verdict[] {
  return named
    .filter(({ kind, digest }) => kind === 'proof' && digest !== null)
    .filter(({ digest }) => !summed.has(String(digest).slice('sha256:'.length)))
    .map(({ name, issueId, digest, treeDigest }) => {
      const found = finding('attestation_other', path, `no statement names the proof of ${name}`)
      const about = { kind: 'attestation', name: path, path, digest, issueId, treeDigest }
      return { ...about, result: 'rejected', findings: [found] } as const
    })
}

type OpenSigned = Awaited<ReturnType<OperationContext['signing']>>['openSigned']

function openedEnvelope(
  line: string,
  name: string,
  key: string,
  openSigned: OpenSigned,
): string | ProofFinding {
  const envelope = documentIn(Envelope, line)
  if (envelope === undefined) {
    return finding('attestation_invalid', name, 'it is cut off, or is not an envelope')
  }
  const payload = openSigned(envelope, key)
  return payload ?? finding('attestation_forged', name, 'no signature in it is by this key')
}

function documentIn<const S extends Shape>(shape: S, text: string): ValueOf<S> | undefined {
  const document = jsonIn(text)
  return flawIn(shape, document) ? undefined : (document as never)
}

async function onStatement(
  payload: string | ProofFinding,
  name: string,
  open: OpenWitnesses,
  { tree }: VerdictOptions,
): Promise<Verdict> {
  const about = { kind: 'attestation', name, path: name, digest: null, issueId: null }
  if (typeof payload !== 'string') {
    return { ...about, treeDigest: null, result: 'broken', findings: [payload] }
  }
  const statement = documentIn(Statement, payload)
  if (statement === undefined) {
    const found = finding('attestation_invalid', name, 'its payload is not a premath statement')
    return { ...about, treeDigest: null, result: 'broken', findings: [found] }
  }
  const hex = statement.subject.flatMap(({ digest }) => digest[treeAlgorithm] ?? [])[0]
  const treeDigest = hex === undefined ? null : `tree1_${hex}`
  const findings = [
    ...(passed(statement) ? [] : [finding('witness_rejected', name, 'its result is a failure')]),
    ...(tree && treeDigest !== (await open.tree())
      ? [finding('witness_tree_changed', name, 'it is about other files')]
      : []),
  ]
  const result = exitCodeOf(findings) === 0 ? 'accepted' : 'rejected'
  const confirmedBy = statement.subject[0]?.annotations?.confirmedBy
  return {
    ...about,
    name: `${name} ${statement.predicateType}`,
    treeDigest,
    result,
    findings,
    ...(confirmedBy && { confirmedBy }),
  }
}

const passed = ({ predicate }: Statement) =>
  'result' in predicate ? predicate.result === 'PASSED' : predicate.verificationResult === 'PASSED'
