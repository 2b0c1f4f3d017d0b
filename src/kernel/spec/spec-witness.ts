/** The witness of a spec run on a tree. The same run of the same tree gives the same witness. */

import type { SpecWitness } from '../../wire/proof/spec-witness.ts'
import type { SpecCaseResult, SpecReport } from '../../wire/spec/spec-report.ts'
import { byCodePoint, type Sha256 } from '../canonical.ts'
import type { TreeDigest } from '../proof/tree-digest.ts'
import { witnessKinds } from '../proof/witness.ts'

/** A requested document. */
export interface WitnessedDocument {
  /** The path in results. */
  readonly file: string
  /** Relative to the project. */
  readonly path: string
  readonly text: string
  /** Ids of its executable cases. */
  readonly cases: readonly string[]
  readonly isReadable: boolean
}

interface Witnessed {
  readonly report: Omit<SpecReport, 'results'> & { readonly results: readonly SpecCaseResult[] }
  readonly documents: readonly WitnessedDocument[]
  readonly tree: { readonly digest: TreeDigest; readonly head: string | null }
  readonly version: string
}

export function specWitness(
  { report, documents, tree, version }: Witnessed,
  sha256: Sha256,
): SpecWitness {
  const { result, total, passed, failed, skipped, notRun, results } = report
  const paths = new Map(documents.map(({ file, path }) => [file, path]))
  return {
    schema: 1,
    witnessKind: witnessKinds.spec,
    runner: { name: 'premath', version },
    result,
    treeDigest: tree.digest,
    head: tree.head,
    ...{ total, passed, failed, skipped, notRun },
    documents: documents
      .map(document => documentOf(document, results, sha256))
      .sort((a, b) => byCodePoint(a.path, b.path)),
    cases: results.map(({ id, file, status, category, assertions }) => ({
      id,
      document: paths.get(file) ?? file,
      status,
      category,
      assertions,
    })),
  }
}

function documentOf(
  { file, path, text, cases, isReadable }: WitnessedDocument,
  results: readonly SpecCaseResult[],
  sha256: Sha256,
): SpecWitness['documents'][number] {
  const judged = results.filter(one => one.file === file)
  return {
    path,
    sha256: `sha256:${sha256(text)}`,
    cases: cases.length,
    whole: judged.length === cases.length,
    readable: isReadable,
  }
}
