import { choiceField, textField } from '../../field.ts'
import { limitField, memoryFields } from '../../input/issue-fields.ts'
import { openProject } from '../../project/open.ts'
import { openWitnesses } from '../../project/open-witnesses.ts'
import { countLine, limited, table } from '../../render/table.ts'
import { ageOf, shortDigest, witnessKindNames } from '../../render/witnesses.ts'
import { WitnessListAnswer } from '../../wire/answers/witness.ts'
import { operation } from '../operation.ts'

export const witnessList = operation({
  group: 'witness',
  summary: 'List witnesses and the proofs of closed issues.',
  description:
    'Lists witnesses, newest first, with their issue, tree and verdict. A chain is the proof of a closed issue. A witness stored twice is listed once. A witness that does not match its digest is listed as broken; witness verify says why.',
  effect: 'read',
  opId: 'op/witness.list',
  input: {
    issue: textField('id', 'Only this issue.', { names: 'issue' }),
    kind: choiceField(witnessKindNames, 'Only this kind.', { placeholder: 'kind' }),
    ...limitField,
    ...memoryFields,
  },
  output: WitnessListAnswer,
  examples: {
    'premath witness list': 'every witness, newest first',
    'premath witness list --issue bd-1 --json': 'the proof that closed bd-1',
  },

  async run({ issue, kind, limit, issues }, context) {
    // The schemas are large, and help needs none.
    const { allListed } = await import('../../project/proofs/witness-listing.ts')
    const open = await openWitnesses(await openProject(context), { issues })
    const listed = await allListed(open)
    const found = listed
      .filter(one => issue === undefined || one.issueIds.includes(issue))
      .filter(one => kind === undefined || one.kind === kind)
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    const { shown, counts } = limited(found, limit)
    return {
      output: {
        action: 'witness.list',
        ...counts,
        items: shown.map(({ at, ...row }) => ({ ...row, ageMs: ageMs(at, open.now) })),
      },
      yes: true,
      render: page =>
        table(
          ['kind', 'digest', 'result', 'issue', 'tree', 'age'],
          shown.map(one => [
            one.kind,
            shortDigest(one.digest ?? ''),
            one.result,
            one.issueIds.join(' '),
            shortDigest(one.treeDigest ?? ''),
            ageOf(one.at, open.now),
          ]),
          page,
          ['tree', 'age', 'result'],
        ) + countLine(counts, 'record', page),
    }
  },
})

const ageMs = (at: bigint, now: bigint) => Math.max(0, Number((now - at) / 1_000_000n))
