/** The cases of a command, with the problems of their documents. */
import { Fault } from '../../fault.ts'
import type { InputOf } from '../../field.ts'
import { caseProblems, duplicateIds } from '../../kernel/spec/case/check-case.ts'
import { type ChainGraph, chainGraph } from '../../kernel/spec/chain/chain-graph.ts'
import { isError, type Problem, type RawCase } from '../../kernel/spec/document/raw-case.ts'
import { caseTypes, isExecutable } from '../../runner/cases/index.ts'
import { type CaseFormat, discover } from '../../runner/discover.ts'
import { type LoadedDocument, loadDocuments, withChained } from '../../runner/load-documents.ts'
import type { OperationContext } from '../context.ts'
import { absolute } from '../named-document.ts'
import type { ProjectSeeker } from '../open.ts'
import { resolvePath } from '../paths.ts'
import { byPlace } from './problems.ts'
import type { specFields } from './spec-fields.ts'

export interface SpecInput {
  /** The requested documents, then those reached only by chains. */
  readonly documents: readonly LoadedDocument[]
  /** The requested documents. */
  readonly asked: readonly LoadedDocument[]
  /** Cases of the requested documents, in order. */
  readonly cases: readonly RawCase[]
  /** Errors that kept documents from being read, and warnings about their text. */
  readonly documentProblems: readonly Problem[]
  /** Problems of a case's shape, id or chain. */
  problemsOf(raw: RawCase): readonly Problem[]
  readonly graph: ChainGraph
}

interface AskedDocuments {
  readonly documents: readonly LoadedDocument[]
  /** Problems of paths without a document. */
  readonly problems: readonly Problem[]
}

/** Reads only the requested documents, not those that they refer to. */
export async function readAsked(
  { path, format, root }: InputOf<typeof specFields>,
  context: ProjectSeeker,
): Promise<AskedDocuments> {
  if (root !== undefined && (await context.files.kindOf(absolute(root, context))) !== 'folder') {
    throw new Fault('usage', `--root names ${JSON.stringify(root)}, which is no folder`, {
      hint: 'Name the folder that / means in your specs.',
    })
  }
  const formats: readonly CaseFormat[] = format.length > 0 ? (format as CaseFormat[]) : ['md']
  const found = await discover(await askedPaths(path, context), formats, context)
  return {
    documents: await loadDocuments(found.files, root, context),
    problems: found.problems,
  }
}

/** In the root of the project its setting `specs` counts, in another folder that folder. */
async function askedPaths(
  path: readonly string[],
  context: ProjectSeeker,
): Promise<readonly string[]> {
  if (path.length > 0) return path
  const project = await context.project()
  const { config } = await project.config()
  const isInRoot = resolvePath('/', context.cwd()) === project.root
  return isInRoot && config.specs.length > 0 ? config.specs : ['.']
}

export async function readSpecs(
  input: InputOf<typeof specFields>,
  context: ProjectSeeker,
): Promise<SpecInput> {
  return await specsOf(await readAsked(input, context), context)
}

/** The same for loaded documents. */
export async function specsOf(
  { documents: asked, problems }: AskedDocuments,
  context: OperationContext,
): Promise<SpecInput> {
  const documents = await withChained(asked, context)
  const cases = asked.flatMap(document => document.cases)
  const graph = chainGraph(documents, {
    isExecutable,
  })
  const twice = duplicateIds(cases)
  const problemsIn = (raw: RawCase): readonly Problem[] => {
    const taken = twice.get(raw)
    const others = [...(taken ? [taken] : []), ...graph.problemsOf(raw)]
    const found = [...caseProblems(raw, caseTypes), ...others].sort(byPlace)
    return found.length === 0 ? noProblems : found
  }
  // A case that runs again is not checked again.
  const known = new Map<RawCase, readonly Problem[]>()
  return {
    documents,
    asked,
    cases,
    documentProblems: [...problems, ...documents.flatMap(one => one.problems)],
    graph,
    problemsOf(raw) {
      const found = known.get(raw) ?? problemsIn(raw)
      known.set(raw, found)
      return found
    },
  }
}

/** Shared by the many cases without any. */
const noProblems: readonly Problem[] = []

/** Whether a document could not be read completely. */
export const isUnreadable = ({ documentProblems }: SpecInput): boolean =>
  documentProblems.some(isError)
