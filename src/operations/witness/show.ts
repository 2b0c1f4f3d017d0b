import type { Page } from '../../answer.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { isJsonObject, type JsonObject, jsonIn } from '../../kernel/json.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { visibleLines } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { openWitnesses } from '../../project/open-witnesses.ts'
import type { NamedWitness } from '../../project/proofs/witness-named.ts'
import type { Verdict } from '../../project/proofs/witness-verdict.ts'
import { type Fact, factsPage } from '../../render/facts.ts'
import { classesOf, findingLine } from '../../render/witnesses.ts'
import type { ProofChain } from '../../wire/proof/proof-chain.ts'
import { operation } from '../operation.ts'

export const witnessShow = operation({
  group: 'witness',
  summary: 'Show a witness, or the proof of a closed issue.',
  description:
    'All that it says, and whether it is what its digest says. The name is a digest or the start of one, a file, an instruction or an issue. Exits 1 when the issue has no proof, and 5 when something is not what it was.',
  effect: 'read',
  input: {
    name: {
      type: 'text',
      describe: 'A digest or the start of one, a file, an instruction or an issue.',
      placeholder: 'name',
      required: true,
      positional: true,
    },
    ...memoryFields,
  },
  examples: [
    { command: 'premath witness show 9cf65231', shows: 'the witness whose digest begins so' },
    { command: 'premath witness show bd-1', shows: 'what the issue was closed by' },
  ],

  async run({ name, issues }, context) {
    // Schemas are large, and help needs none.
    const { namedWitness } = await import('../../project/proofs/witness-named.ts')
    const { verdictOn } = await import('../../project/proofs/witness-verdict.ts')
    const open = await openWitnesses(await openProject(context), { issues })
    const named = await namedWitness(name, open, context)
    const verdict = await verdictOn(named, open, { tree: false, named: false })
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
  const told = factsPage(kind, facts, page)
  // A chain is told in words; any other kind has members of its own.
  return kind === 'proof' || !document ? told : `${told}${visibleLines(printJson(document))}`
}

function chainFacts({ claim, links, closedBy, closedAt }: ProofChain): readonly Fact[] {
  return [
    ['claim', claim ? `${claim.leaseId}, fence ${claim.fence}, ${claim.worker}` : undefined],
    ...(links ?? []).map(({ kind, digest }) => [kind, digest] as const),
    ['closed', closedBy && `${closedAt} by ${closedBy.by}`],
    ['reason', closedBy?.reason],
  ]
}
