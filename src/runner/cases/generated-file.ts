/** The file that a surface generates. It lies below the contract root, and no link leads to it. */
import { type ContractPath, folderOf } from '../../kernel/spec/contract-path.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import { below } from '../contract-roots.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { writeDocument } from '../write-document.ts'
import { contractText } from './contract-text.ts'

export class GeneratedFile {
  readonly path: ContractPath
  readonly #context: ExecutionContext

  private constructor(path: ContractPath, context: ExecutionContext) {
    this.path = path
    this.#context = context
  }

  static async at(
    path: ContractPath,
    context: ExecutionContext,
  ): Promise<GeneratedFile | SpecError> {
    const file = new GeneratedFile(path, context)
    return (await file.#leadsElsewhere()) ? throughLink(path) : file
  }

  /** `undefined` if there is no file. */
  async text(): Promise<{ readonly text: string | undefined } | SpecError> {
    const { run } = this.#context
    if ((await run.world.files.kindOf(await this.#place())) === undefined) {
      return { text: undefined }
    }
    const found = await contractText(this.path, this.#context)
    if ('text' in found) return found
    const why = 'refused' in found ? found.refused : found.unread
    return { category: 'runtime', message: `cannot read ${this.path}: ${why}` }
  }

  /** Replaces the file at once, unless somebody changed it meanwhile. */
  async write(before: string | undefined, after: string): Promise<SpecError | undefined> {
    const { world, written } = this.#context.run
    const folder = below(await this.#realRoot(), folderOf(this.path))
    await (await world.disk()).makeFolderLoosely(folder)
    // A command of a data source may have put a link there.
    if (await this.#leadsElsewhere()) return throughLink(this.path)
    // As a shell in the contract root names it: the hint of a read-only file is a command.
    const file = this.path.slice(1)
    await writeDocument({ path: await this.#place(), file, before, after }, world)
    written.push(this.path)
    return undefined
  }

  async #realRoot(): Promise<string> {
    const { run, document } = this.#context
    return await run.roots.realRoot(document.root)
  }

  async #place(): Promise<string> {
    return below(await this.#realRoot(), this.path)
  }

  async #leadsElsewhere(): Promise<boolean> {
    const place = await this.#place()
    return (await (await this.#context.run.world.disk()).realPath(place)) !== place
  }
}

const throughLink = (path: ContractPath): SpecError => ({
  category: 'schema',
  message: `harness.docs_generate.output_path ${path} leads through a link`,
  path: 'harness.docs_generate.output_path',
  hint: 'Name the file itself.',
})
