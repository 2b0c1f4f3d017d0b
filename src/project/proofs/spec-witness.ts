/** Writes the witness of a spec run: which cases passed, on which files. */
import { Fault } from '../../fault.ts'
import { readTree, type Tree } from '../../harness/worktree/tree.ts'
import { isError } from '../../kernel/spec/document/raw-case.ts'
import { specWitness, type WitnessedDocument } from '../../kernel/spec/spec-witness.ts'
import type { LoadedDocument } from '../../runner/load-documents.ts'
import { absolutePath } from '../../runner/runner-world.ts'
import { writeWitness } from '../../store/witness-store.ts'
import type { SpecReport } from '../../wire/spec/spec-report.ts'
import type { Project } from '../open.ts'
import { executable } from '../specs/outcomes.ts'
import type { SpecInput } from '../specs/spec-input.ts'
import { version } from '../version.ts'
import { signerOf } from './birth-signing.ts'

/** The path of the witness, or why there is none. */
export type Witnessing =
  | { readonly path: string }
  | {
      readonly why: string
      /** The witness could not be written. */
      readonly fault?: Fault
    }

/** The project's files before anything ran. */
interface WitnessedTree {
  readonly tree: Tree
  /** The folder of the tree. */
  readonly folder: string
}

/** `undefined` outside a project. */
export async function treeBefore(project: Project): Promise<WitnessedTree | undefined> {
  if (!project.isFound) return undefined
  const folder = await project.folderHere()
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const { files, env, sha256 } = project
  const tree = await readTree({
    root: folder,
    project: project.root,
    files,
    disk,
    processes,
    env,
    sha256,
  })
  return { tree, folder }
}

/** A witness that cannot be written does not hide the result of the run. */
export async function storeSpecWitness(
  before: WitnessedTree,
  report: SpecReport,
  specs: SpecInput,
  project: Project,
): Promise<Witnessing> {
  try {
    return await witnessed(before, report, specs, project)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { why: error.message, fault: error }
  }
}

async function witnessed(
  { tree, folder }: WitnessedTree,
  report: SpecReport,
  specs: SpecInput,
  project: Project,
): Promise<Witnessing> {
  if (report.total === 0 && report.problems.length === 0) return { why: 'nothing was run' }
  if (!(await tree.isUnchanged())) return { why: 'files changed while the specs ran' }
  const disk = await project.disk()
  const real = await disk.realPath(folder)
  const documents: WitnessedDocument[] = []
  for (const document of specs.asked) {
    const path = await disk.realPath(absolutePath(document.file, project))
    if (!path.startsWith(`${real}/`)) return { why: `${document.file} lies outside the project` }
    documents.push(witnessedDocument(document, path.slice(real.length + 1)))
  }
  const of = { digest: tree.digest, head: await tree.head() }
  const { root, sha256 } = project
  const signer = await signerOf(project)
  const witness = specWitness({ report, documents, tree: of, version }, sha256)
  return { path: await writeWitness('spec', witness, { root, disk, sha256, signer }) }
}

const witnessedDocument = (document: LoadedDocument, path: string): WitnessedDocument => ({
  file: document.file,
  path,
  text: document.text,
  cases: executable(document.cases).map(({ id }) => id),
  isReadable: !document.problems.some(isError),
})
