import type { Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { nearest } from '../../kernel/text/nearest.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { Vector } from '../../project/conformance/conformance-vectors.ts'
import { hung, wrapBroken } from '../../render/columns.ts'
import { ConformanceReport } from '../../wire/turn/vector.ts'
import { operation } from '../operation.ts'

export const conformanceRun = operation({
  group: 'conformance',
  summary: 'Run conformance vectors against the gate.',
  description:
    'A vector is a folder with case.json (the input) and expect.json (the answer), or an entry of a file *.vectors.json, which derives many inputs from one. The command judges every vector that it finds at any depth, as it is and with its rows in other orders, which must change nothing. It also compares the digests in digests.json of a given folder. Without a folder it runs the vectors of this package. Exits 0 if every answer matches, 1 on a mismatch and 2 if a vector cannot be read.',
  effect: 'read',
  opId: 'op/project.conformance_run',
  input: {
    dir: textField(
      'dir',
      'A folder or a file of vectors; links to folders inside it are not followed.',
      { positional: true, many: true, path: true },
    ),
    suite: textField('suite', 'Run only the vectors of this suite.'),
  },
  output: ConformanceReport,
  examples: {
    'premath conformance run': 'verifies this installation',
    'premath conformance run my-vectors --suite harness-typestate':
      'runs one suite of another implementation',
    'premath conformance run --json': 'the report with the differences of each vector',
  },

  async run({ dir, suite }, context) {
    const { readVectors } = await import('../../project/conformance/conformance-vectors.ts')
    const { checkVectors } = await import('../../project/conformance/conformance-check.ts')
    const folders = dir.length > 0 ? dir : [`${context.packageFolder()}/vectors`]
    const found: (readonly Vector[])[] = []
    for (const folder of new Set(folders)) found.push(await readVectors(folder, context))
    const chosen = found.map(vectors =>
      vectors.filter(({ suiteId }) => suite === undefined || suiteId === suite),
    )
    if (chosen.every(vectors => vectors.length === 0)) throw unknownSuite(suite ?? '', found.flat())
    const report = await checkVectors(chosen, context)
    return {
      output: report,
      yes: report.failed === 0,
      render: page => vectorPage(report, page),
    }
  },
})

function unknownSuite(suite: string, vectors: readonly Vector[]): Fault {
  const suites = [...new Set(vectors.map(({ suiteId }) => suiteId))].sort()
  const meant = nearest(suite, suites)
  return new Fault('usage', `no vector belongs to the suite ${JSON.stringify(suite)}`, {
    hint: `available: ${suites.join(', ')}`,
    detail: { suite, suites, ...(meant !== undefined && { nearest: meant }) },
  })
}

const margin = ' '.repeat(5)

function vectorPage({ vectors, passed, failed }: ConformanceReport, page: Page): string {
  const lines = vectors.flatMap(({ suiteId, vectorId, mismatches }) => {
    const mark = mismatches.length === 0 ? page.ink('green', 'ok  ') : page.ink('red', 'FAIL')
    const name = visible(`${suiteId}/${vectorId}`)
    // Colour does not change the width of the mark.
    const [first = '', ...rest] = hung(margin, name, page.columns, wrapBroken)
    return [
      `${mark} ${first.slice(margin.length)}`,
      ...rest,
      ...mismatches.flatMap(one => hung(margin, visible(one), page.columns)),
    ]
  })
  return `${[...lines, `${passed} passed, ${failed} failed`].join('\n')}\n`
}
