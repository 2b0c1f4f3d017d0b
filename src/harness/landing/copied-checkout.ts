/** Without git: copies the files of the project to a fresh folder, and verifies them there. */
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { checkoutVariable } from '../../kernel/landing/checkout-variable.ts'
import { parentsOf } from '../../kernel/landing/in-the-way.ts'
import { matcherOf, type Protection, type TreeEdit } from '../../kernel/landing/protected-paths.ts'
import type { TreeEntry } from '../../kernel/proof/tree-digest.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { Files } from '../../world/world.ts'
import { type Harness, type Proofs, sandboxModeOf } from '../harness.ts'
import { readTree } from '../worktree/tree.ts'
import { runVerifiers, type Submission, type Verifiers } from './candidate-verifier.ts'
import { judgeFiles } from './judge-change.ts'
import type { Submitted } from './landing.ts'
import { editedDelta } from './landing-delta.ts'
import { refusedWork, type WorkCheckout } from './work-checkout.ts'

export interface CopiedCheckoutParts {
  readonly files: Files
  /** The folder whose files are the project. */
  readonly folder: string
  /** The folder of the copy. Nothing else is in it. */
  readonly path: string
  readonly protection: Protection
  readonly verifyCommand: string
  readonly verifyTimeoutMs: number
  verifiersAt(harness: Harness): Verifiers
  proofsAt(folder: string): Promise<Proofs>
}

/** Files that a verify command may run: shell scripts, and scripts of packages. */
const isScript = (path: string) => /(?:^|\/)(?:[^/.]+|[^/]+\.sh|package\.json)$/.test(path)

interface Before {
  readonly entries: ReadonlyMap<string, TreeEntry>
  /** Texts that are compared or read later, by path. */
  readonly texts: ReadonlyMap<string, string>
}

export class CopiedCheckout implements WorkCheckout {
  readonly #parts: CopiedCheckoutParts
  #before: Before | undefined

  constructor(parts: CopiedCheckoutParts) {
    this.#parts = parts
  }

  async begin(harness: Harness, issue: Issue): Promise<void> {
    const { folder, protection } = this.#parts
    const { files: entries } = await this.#read(harness, folder)
    const members = protection.frozen.flatMap(one => (one.includes('#') ? one.split('#', 1) : []))
    const isCompared = matcherOf(members, '')
    const hasSpecs = specsOf(issue).length > 0
    const texts = new Map<string, string>()
    for (const { path, mode } of entries) {
      const isRead = isCompared(path) || isScript(path) || (hasSpecs && path.endsWith('.md'))
      if (isRead && mode !== '120000') texts.set(path, await this.#text(folder, path))
    }
    this.#before = { entries: new Map(entries.map(entry => [entry.path, entry])), texts }
  }

  async submit(harness: Harness, submission: Submission): Promise<Submitted> {
    const { folder, path: copy, verifiersAt, verifyTimeoutMs } = this.#parts
    const { issue, journal, run } = submission
    await this.#copy(harness, (await this.#read(harness, folder)).files)
    // Others may write to the folder meanwhile, so the copy is judged, and it is what is verified.
    const { files } = await this.#read(harness, copy)
    const refused = await this.#judge(issue, files)
    if (refused) return refusedWork(refused)
    const proofs = await this.#parts.proofsAt(copy)
    const below = harness.worktree.slice(folder.length)
    const at = { ...harness, worktree: `${copy}${below}`, proofs }
    if (below !== '') await harness.disk.makeFolderLoosely(at.worktree)
    const copied = new Map(files.map(entry => [entry.path, entry]))
    const verification = await runVerifiers(at, verifiersAt(at), {
      specs: specsOf(issue),
      run: {
        ...run,
        env: { ...run.env, [checkoutVariable]: copy },
        delta: async () => editedDelta(this.#edits(files).map(({ path }) => path)),
        timeoutMs: verifyTimeoutMs,
      },
      changedFiles: async () =>
        editsBetween(copied, (await this.#read(harness, copy)).files).map(({ path }) => path),
    })
    if (!verification.passed) return { verification }
    const { commandDigest = '', outputDigest = '' } = verification.commands.at(-1) ?? {}
    const { witness } = verification
    const sandbox = sandboxModeOf(harness)
    const ran = { stepId: journal.stepId, commandDigest, outputDigest, witness, sandbox }
    return { verification, proof: await proofs.find(issue, ran) }
  }

  async keep(): Promise<undefined> {}

  async end(): Promise<void> {
    this.#before = undefined
  }

  #edits(after: readonly TreeEntry[]): readonly TreeEdit[] {
    if (!this.#before) throw new TypeError('the work was not begun')
    return editsBetween(this.#before.entries, after)
  }

  async #judge(issue: Issue, after: readonly TreeEntry[]) {
    const { path: copy, protection, verifyCommand } = this.#parts
    const before = this.#before
    if (!before) throw new TypeError('the work was not begun')
    const files = {
      prefix: '',
      edits: async () => this.#edits(after),
      pathsBefore: async () => [...before.entries.keys()],
      textBefore: async (path: string) => before.texts.get(path) ?? '',
      textAfter: async (path: string) =>
        after.some(one => one.path === path) ? await this.#text(copy, path) : '',
    }
    return await judgeFiles(files, { issue, protection, verifyCommand })
  }

  async #copy({ disk }: Harness, entries: readonly TreeEntry[]): Promise<void> {
    const { folder, path: copy } = this.#parts
    await disk.removeFolder(copy)
    const folders = new Set(entries.flatMap(({ path }) => parentsOf(path).at(-1) ?? []))
    for (const one of ['', ...folders])
      await disk.makeFolderLoosely(`${copy}/${one}`.replace(/\/$/, ''))
    // Specs in the copy take it for their project, and not the folder above it.
    await disk.makeFolderLoosely(`${copy}/.premath`)
    for (const { path } of entries) await disk.copyEntry(`${folder}/${path}`, `${copy}/${path}`)
  }

  async #read(harness: Harness, root: string) {
    return await readTree({ ...harness, files: this.#parts.files, root, project: harness.root })
  }

  async #text(folder: string, path: string): Promise<string> {
    const bytes = await this.#parts.files.readIfPresent(`${folder}/${path}`)
    return bytes === undefined ? '' : decodeUtf8(bytes)
  }
}

function editsBetween(
  before: ReadonlyMap<string, TreeEntry>,
  after: readonly TreeEntry[],
): readonly TreeEdit[] {
  const edits: TreeEdit[] = []
  const left = new Map(before)
  for (const { path, mode, sha256 } of after) {
    const old = before.get(path)
    left.delete(path)
    if (old?.mode === mode && old.sha256 === sha256) continue
    edits.push({ path, kind: old ? 'changed' : 'added', isFile: mode !== '120000' })
  }
  for (const path of left.keys()) edits.push({ path, kind: 'removed', isFile: true })
  return edits
}
