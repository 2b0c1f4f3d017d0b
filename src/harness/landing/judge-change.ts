/** Finds out whether work changes what judges it: its specs, tests, and their configuration. */

import { instructionPolicyFolder } from '../../kernel/instruction/instruction-policy.ts'
import { allowancesOf } from '../../kernel/issues/allowances.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import {
  judgingFiles,
  packageCommands,
  shellScriptsIn,
} from '../../kernel/landing/judging-files.ts'
import {
  matcherOf,
  type ProtectedEdit,
  type Protection,
  protectedEdits,
  type TreeEdit,
  withVariants,
} from '../../kernel/landing/protected-paths.ts'
import { readTreeEdits } from '../../kernel/landing/tree-edits.ts'
import { shown } from '../../world/system-error.ts'
import { askLanding, type LandingPlace, landingPaths } from './landing-git.ts'
import type { JudgeChanged } from './landing-queue.ts'

export interface Judge {
  readonly issue: Issue
  readonly protection: Protection
  readonly verifyCommand: string
}

interface Judged extends Judge {
  /** The commit or tree that the work stands on. */
  readonly base: string
  readonly tree: string
}

/** The files before and after the work. */
export interface ChangedFiles {
  /** The folder of the project in them, with a slash at the end, or blank. */
  readonly prefix: string
  edits(): Promise<readonly TreeEdit[]>
  pathsBefore(): Promise<readonly string[]>
  /** Blank for a file that is not there. */
  textBefore(path: string): Promise<string>
  textAfter(path: string): Promise<string>
}

export async function judgeChange(
  place: LandingPlace,
  { base, tree, ...judge }: Judged,
): Promise<JudgeChanged | undefined> {
  return await judgeFiles(filesOf(place, base, tree), judge)
}

/** The one judge of all work, whether it lands or not. */
export async function judgeFiles(
  files: ChangedFiles,
  { issue, protection, verifyCommand }: Judge,
): Promise<JudgeChanged | undefined> {
  const { prefix } = files
  const edits = await editsOf(files)
  const { mayChange, writesSpecs } = allowancesOf(issue)
  const own = specsOf(issue).flatMap(spec => [spec, `${spec.replace(/\/$/, '')}/**`])
  const isOwnSpec = matcherOf(own, prefix)
  const isAllowed = matcherOf(mayChange, prefix)
  const used = own.length > 0 ? await documentsUsed(files, edits, isOwnSpec) : noDocuments
  const isUsed = (path: string) => used.has(path) && !isAllowed(path)
  const rewritten = edits.filter(({ path }) => isOwnSpec(path) || isUsed(path))
  if (rewritten.length > 0 && !writesSpecs) {
    const names = rewritten.map(({ path }) => shown(path)).join(', ')
    return {
      failureClass: 'close_specs_changed',
      summary: `the work changed the specs that judge it: ${names}`,
    }
  }
  const frozen = [
    ...protection.frozen,
    ...authority,
    ...attributes,
    ...(await filesRun(files, verifyCommand)),
  ]
  const rules = {
    protection: { ...protection, frozen },
    mayChange: [...mayChange, ...(writesSpecs ? own : [])],
    prefix,
  }
  const broken: ProtectedEdit[] = []
  for (const edit of protectedEdits(edits, rules)) {
    if (edit.member === undefined || (await isChanged(files, edit))) broken.push(edit)
  }
  if (broken.length === 0) return undefined
  const words = broken.map(({ path, why }) => `${shown(path)} (${why})`).join(', ')
  return {
    failureClass: 'protected_path_changed',
    summary: `the work changed protected files: ${words}; a person allows it with premath issue update ${issue.id} --may-change <pattern>`,
  }
}

/** Policies and instructions decide who may change issues, and which checks are required. */
const authority = [`${instructionPolicyFolder}/**`, 'policies/control/**', 'instructions/*.json']

/** They change the bytes that git checks out, also those of the files that judge. */
const attributes = ['**/.gitattributes']

/** The files that the verify command runs, before the work. */
async function filesRun(files: ChangedFiles, command: string): Promise<readonly string[]> {
  const { prefix } = files
  const found = new Set<string>()
  const commands = [{ command, folder: '' }]
  const seen = new Set<string>()
  for (let next = commands.pop(); next !== undefined; next = commands.pop()) {
    const key = `${next.folder}\n${next.command}`
    if (seen.has(key) || seen.size >= commandsMax) continue
    seen.add(key)
    const judging = judgingFiles(next.command, next.folder)
    for (const path of judging.files) found.add(path)
    for (const path of await scriptsFrom(files, judging.shellScripts, next.folder)) found.add(path)
    for (const script of judging.packageScripts) {
      const { folder } = script
      const text = await files.textBefore(`${prefix}${folder}package.json`)
      for (const one of packageCommands(text, script)) commands.push({ command: one, folder })
    }
  }
  return [...found]
}

/** Scripts of packages may call each other. */
const commandsMax = 100

/** The shell scripts that these run or read, directly or through others. */
async function scriptsFrom(
  files: ChangedFiles,
  scripts: readonly string[],
  folder: string,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const pending = [...scripts]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (found.has(path) || found.size >= commandsMax) continue
    found.add(path)
    pending.push(...shellScriptsIn(await files.textBefore(`${files.prefix}${path}`), folder))
  }
  return found
}

async function editsOf(files: ChangedFiles): Promise<readonly TreeEdit[]> {
  const edits = await files.edits()
  if (!edits.some(({ kind }) => kind === 'added')) return edits
  return withVariants(edits, await files.pathsBefore())
}

/**
 * The documents that the specs of the issue lead to by chains and libraries, before the work. They
 * judge the work as the specs do.
 */
async function documentsUsed(
  files: ChangedFiles,
  edits: readonly TreeEdit[],
  isOwnSpec: (path: string) => boolean,
): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  // A library may have any name.
  if (edits.every(({ path }) => isOwnSpec(path))) return used
  const pending = (await files.pathsBefore()).filter(
    path => documentName.test(path) && isOwnSpec(path),
  )
  const read = new Set(pending)
  if (pending.length === 0) return used
  // The reader of documents is loaded for work that some judge.
  const { documentsNamedIn } = await import('../../kernel/landing/spec-documents.ts')
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const named of documentsNamedIn(await files.textBefore(path), path)) {
      used.add(named)
      if (read.has(named)) continue
      read.add(named)
      pending.push(named)
    }
  }
  return used
}

const documentName = /\.(?:md|ya?ml|spec\.json)$/
const noDocuments: ReadonlySet<string> = new Set()

async function isChanged(
  files: ChangedFiles,
  { path, member = '' }: ProtectedEdit,
): Promise<boolean> {
  const [before, after] = [await files.textBefore(path), await files.textAfter(path)]
  // Readers of JSON and TOML are loaded for work that changed such a file.
  const { isMemberChanged } = await import('../../kernel/landing/protected-member.ts')
  return isMemberChanged({ path, before, after }, member)
}

function filesOf(place: LandingPlace, base: string, tree: string): ChangedFiles {
  const { prefix, top } = place
  const textIn = async (commit: string, path: string) => {
    const asked = ['cat-file', 'blob', `${commit}:${path}`]
    const { exitCode, stdout } = await askLanding(place, top, asked)
    return exitCode === 0 ? stdout : ''
  }
  return {
    prefix,
    edits: async () => {
      const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--ignore-submodules=none']
      return readTreeEdits(await landingPaths(place, top, [...args, base, tree]))
    },
    pathsBefore: async () =>
      await landingPaths(place, top, ['ls-tree', '-r', '-z', '--name-only', base]),
    textBefore: path => textIn(base, path),
    textAfter: path => textIn(tree, path),
  }
}
