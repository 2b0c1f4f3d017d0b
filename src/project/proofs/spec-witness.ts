/** What a run of specs leaves in a project: which cases passed, on which tree. */
import { Fault } from '../../fault.ts'
import { readTree, type Tree } from '../../harness/worktree/tree.ts'
import { isError } from '../../kernel/spec/document/problem.ts'
import { specWitness, type WitnessedDocument } from '../../kernel/spec/spec-witness.ts'
import type { LoadedDocument } from '../../runner/load-documents.ts'
import { absolutePath } from '../../runner/runner-world.ts'
import { writeWitness } from '../../store/witness-store.ts'
import type { SpecReport } from '../../wire/spec/spec-report.ts'
import type { OperationContext } from '../context.ts'
import { findProjectRoot, projectFolderHere } from '../root.ts'
import { executable } from '../specs/outcomes.ts'
import type { SpecInput } from '../specs/spec-input.ts'
import { version } from '../version.ts'

/** Where a witness went, or why there is none. */
export type Witnessing =
  | { readonly path: string }
  | {
      readonly why: string
      /** Where there should be one, and it could not be written. */
      readonly fault?: Fault
    }

/** The tree as it was before anything ran. */
export interface WitnessedTree {
  readonly tree: Tree
  /** Where witnesses lie: in the main worktree, with the issues. */
  readonly root: string
  /** The project's folder that the tree is of. */
  readonly folder: string
}

/** `undefined` outside a project. */
export async function treeBefore(context: OperationContext): Promise<WitnessedTree | undefined> {
  const root = await findProjectRoot(context)
  if (root === undefined) return undefined
  const folder = await projectFolderHere(context, root)
  const [disk, processes] = await Promise.all([context.disk(), context.processes()])
  const { files, env, sha256 } = context
  const tree = await readTree({ root: folder, files, disk, processes, env, sha256 })
  return { tree, root, folder }
}

/** What the run found out is told all the same where its witness cannot be written. */
export async function leaveWitness(
  before: WitnessedTree,
  report: SpecReport,
  specs: SpecInput,
  context: OperationContext,
): Promise<Witnessing> {
  try {
    return await witnessed(before, report, specs, context)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { why: error.message, fault: error }
  }
}

async function witnessed(
  { tree, root, folder }: WitnessedTree,
  report: SpecReport,
  specs: SpecInput,
  context: OperationContext,
): Promise<Witnessing> {
  if (report.total === 0 && report.problems.length === 0) return { why: 'nothing was run' }
  if (!(await tree.isUnchanged())) return { why: 'files changed while the specs ran' }
  const disk = await context.disk()
  const real = await disk.realPath(folder)
  const documents: WitnessedDocument[] = []
  for (const document of specs.asked) {
    const path = await disk.realPath(absolutePath(document.file, context))
    if (!path.startsWith(`${real}/`)) return { why: `${document.file} lies outside the project` }
    documents.push(witnessedDocument(document, path.slice(real.length + 1)))
  }
  const of = { digest: tree.digest, head: await tree.head() }
  const witness = specWitness({ report, documents, tree: of, version }, context.sha256)
  return { path: await writeWitness('spec', witness, { root, disk, sha256: context.sha256 }) }
}

const witnessedDocument = (document: LoadedDocument, path: string): WitnessedDocument => ({
  file: document.file,
  path,
  text: document.text,
  cases: executable(document.cases).map(({ id }) => id),
  isReadable: !document.problems.some(isError),
})
