/** Reads the path a command printed. It must lie in the contract root or the temporary folder. */
import type { Subject } from '../../kernel/spec/assert/subject.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { absolutePath } from '../runner-world.ts'
import { subjectText } from './contract-text.ts'

export class PrintedPath {
  readonly #stdout: string
  readonly #cwd: string
  readonly #context: ExecutionContext

  /** A relative path starts at the working folder of the command. */
  constructor(stdout: string, cwd: string, context: ExecutionContext) {
    this.#stdout = stdout
    this.#cwd = cwd
    this.#context = context
  }

  /** The first line that is not blank. */
  path(): Subject {
    const line = this.#stdout
      .split('\n')
      .map(one => one.trim())
      .find(Boolean)
    return line === undefined
      ? { category: 'assertion', message: 'stdout contains no path' }
      : { value: line }
  }

  async text(): Promise<Subject> {
    const place = await this.#place()
    if ('category' in place) return place
    if ((await this.#world.files.kindOf(place.realPath)) !== 'file') {
      return { category: 'assertion', message: `no such file: ${place.printed}` }
    }
    const found = await subjectText(place.realPath, this.#world)
    if ('text' in found) return { value: found.text }
    return { category: 'runtime', message: `${place.printed} ${found.refused}` }
  }

  async exists(): Promise<Subject> {
    const place = await this.#place()
    if ('category' in place) return place
    return { value: (await this.#world.files.kindOf(place.realPath)) !== undefined }
  }

  get #world() {
    return this.#context.run.world
  }

  async #place(): Promise<{ readonly printed: string; readonly realPath: string } | SpecError> {
    const path = this.path()
    if ('category' in path) return path
    const printed = String(path.value)
    const disk = await this.#world.disk()
    const realPath = await disk.realPath(absolutePath(printed, { cwd: () => this.#cwd }))
    const { document, run, temporaryFolder } = this.#context
    const folders = [await run.roots.realRoot(document.root), temporaryFolder.path]
    const isInside = folders.some(
      folder =>
        folder !== undefined &&
        (realPath === folder || realPath.startsWith(folder === '/' ? '/' : `${folder}/`)),
    )
    if (isInside) return { printed, realPath }
    const message = `stdout_path ${printed} lies outside the contract root and the temporary folder`
    return { category: 'runtime', message }
  }
}
