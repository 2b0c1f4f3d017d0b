import type { Page } from '../../answer.ts'
import { textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { isJsonObject, type JsonObject, jsonIn } from '../../kernel/json.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { visibleLines } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { openWitnesses } from '../../project/open-witnesses.ts'
import type { NamedWitness } from '../../project/proofs/witness-named.ts'
import type { Verdict } from '../../project/proofs/witness-verdict.ts'
import { type Fact, factsPage } from '../../render/titled-page.ts'
import { classesOf, findingLine } from '../../render/witnesses.ts'
import { WitnessShowAnswer } from '../../wire/answers/witness.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { operation } from '../operation.ts'

export const witnessShow = operation({
  group: 'witness',
  summary: 'Show a witness, or the proof of a closed issue.',
  description:
    'Shows its content and whether it matches its digest. Name it by digest or digest prefix, file, instruction or issue. Exits 1 if the issue has no proof, and 5 if content does not match its digest.',
  effect: 'read',
  opId: 'op/witness.show',
  input: {
    name: textField('name', 'A digest or its prefix, a file, an instruction or an issue.', {
      required: true,
      positional: true,
      names: 'issue',
    }),
    ...memoryFields,
  },
  output: WitnessShowAnswer,
  examples: {
    'premath witness show 9cf65231': 'the witness with this digest prefix',
    'premath witness show bd-1': 'the proof that closed the issue',
  },

  async run({ name, issues }, context) {
    // The schemas are large, and help needs none.
    const { namedWitness } = await import('../../project/proofs/witness-named.ts')
    const { verdictOn } = await import('../../project/proofs/witness-verdict.ts')
    const open = await openWitnesses(await openProject(context), { issues })
    const named = await namedWitness(name, open, context)
    const verdict = await verdictOn(named, open, {
      tree: false,
      named: false,
      allowForced: true,
    })
    const { result, findings } = verdict
    const document = documentOf(named)
    return {
      output: {
        action: 'witness.show',
        ...verdict,
        document: document ?? null,
        failureClasses: classesOf(findings),
      },
      yes: result === 'accepted',
      exitCode: result === 'accepted' ? 0 : result === 'rejected' ? 1 : 5,
      render: page => showPage(verdict, document, page),
    }
  },
})

function documentOf(named: NamedWitness): JsonObject | undefined {
  const chain = named.is === 'proof' ? named.files?.texts.get(named.files.chain) : named
  const value = chain && 'text' in chain ? jsonIn(chain.text) : undefined
  return isJsonObject(value) ? value : undefined
}

function showPage(verdict: Verdict, document: JsonObject | undefined, page: Page): string {
  const { kind, digest, issueId, treeDigest, path, result, findings } = verdict
  const facts: readonly Fact[] = [
    ['issue', issueId ?? undefined],
    ['digest', digest ?? undefined],
    ['tree', treeDigest ?? undefined],
    ['file', path],
    ...(kind === 'proof' && document ? chainFacts(document as unknown as ProofChain) : []),
    ...(result === 'accepted' ? [] : ([['state', result]] as const)),
    ...findings.map(found => ['finding', findingLine(found)] as const),
    ...(verdict.others ?? []).map(name => ['other close', name] as const),
  ]
  const factsText = factsPage(kind, facts, page)
  // A chain is rendered as text; other kinds print their members.
  return kind === 'proof' || !document
    ? factsText
    : `${factsText}${visibleLines(printJson(document))}`
}

function chainFacts({ claim, links, closedBy, closedAt }: ProofChain): readonly Fact[] {
  return [
    ['claim', claim ? `${claim.leaseId}, fence ${claim.fence}, ${claim.worker}` : undefined],
    ...(links ?? []).map(({ kind, digest }) => [kind, digest] as const),
    ['closed', closedBy && `${closedAt} by ${closedBy.by}`],
    ['reason', closedBy?.reason],
  ]
}
