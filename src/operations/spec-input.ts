/** The cases that a command is about, and all that is wrong with their documents. */
import { Fault } from '../fault.ts'
import { caseTypes } from '../kernel/spec/case/case-types.ts'
import { caseProblems, duplicateIds } from '../kernel/spec/case/check-case.ts'
import { type ChainGraph, chainGraph } from '../kernel/spec/chain/chain-graph.ts'
import { isError, type Problem } from '../kernel/spec/document/problem.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import { type CaseFormat, discover } from '../runner/discover.ts'
import { type LoadedDocument, loadDocuments, withChained } from '../runner/load-documents.ts'
import { absolute } from './json-input.ts'
import type { InputOf, OperationContext } from './operation.ts'
import type { specFields } from './spec-fields.ts'
import { byPlace } from './spec-problems.ts'

export interface SpecInput {
  /** Those asked for, then those that only chains lead to. */
  readonly documents: readonly LoadedDocument[]
  /** Those asked for. */
  readonly asked: readonly LoadedDocument[]
  /** Of the documents asked for, in order. */
  readonly cases: readonly RawCase[]
  /** What kept documents, or parts of them, from being read; warnings of their text too. */
  readonly documentProblems: readonly Problem[]
  /** What is wrong with the shape of a case, its id or its chain. */
  problemsOf(raw: RawCase): readonly Problem[]
  readonly graph: ChainGraph
}

export async function readSpecs(
  { path, format, root }: InputOf<typeof specFields>,
  context: OperationContext,
): Promise<SpecInput> {
  if (root !== undefined && (await context.files.kindOf(absolute(root, context))) !== 'folder') {
    throw new Fault('usage', `--root names ${JSON.stringify(root)}, which is no folder`, {
      hint: 'Name the folder that / means in your specs.',
    })
  }
  const formats: readonly CaseFormat[] = format.length > 0 ? (format as CaseFormat[]) : ['md']
  const found = await discover(path.length > 0 ? path : ['.'], formats, context)
  const asked = await loadDocuments(found.files, root, context)
  const documents = await withChained(asked, context)
  const cases = asked.flatMap(document => document.cases)
  const graph = chainGraph(documents, {
    isExecutable: ({ type }) => caseTypes.get(type)?.executable !== false,
  })
  const twice = duplicateIds(cases)
  return {
    documents,
    asked,
    cases,
    documentProblems: [...found.problems, ...documents.flatMap(({ problems }) => problems)],
    graph,
    problemsOf(raw) {
      const taken = twice.get(raw)
      const others = [...(taken ? [taken] : []), ...graph.problemsOf(raw)]
      return [...caseProblems(raw, caseTypes), ...others].sort(byPlace)
    },
  }
}

/** Whether a document, or a part of one, could not be read. */
export const isUnreadable = ({ documentProblems }: SpecInput): boolean =>
  documentProblems.some(isError)
