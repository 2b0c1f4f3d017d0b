/** Finds out whether a candidate changes what judges it: its specs, tests, and their configuration. */
import { allowancesOf } from '../../kernel/issues/allowances.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { judgingFiles } from '../../kernel/landing/judging-files.ts'
import {
  isMemberChanged,
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

interface Judged {
  readonly issue: Issue
  /** The commit or tree that the work stands on. */
  readonly base: string
  readonly tree: string
  readonly protection: Protection
  readonly verifyCommand: string
}

export async function judgeChange(
  place: LandingPlace,
  { issue, base, tree, protection, verifyCommand }: Judged,
): Promise<JudgeChanged | undefined> {
  const edits = await editsOf(place, base, tree)
  const { mayChange, writesSpecs } = allowancesOf(issue)
  const own = specsOf(issue).flatMap(spec => [spec, `${spec.replace(/\/$/, '')}/**`])
  const isOwnSpec = matcherOf(own, place.prefix)
  const rewritten = edits.filter(({ path }) => isOwnSpec(path))
  if (rewritten.length > 0 && !writesSpecs) {
    const names = rewritten.map(({ path }) => shown(path)).join(', ')
    return {
      failureClass: 'close_specs_changed',
      summary: `the work changed the specs that judge it: ${names}`,
    }
  }
  const rules = {
    protection: { ...protection, frozen: [...protection.frozen, ...judgingFiles(verifyCommand)] },
    mayChange: [...mayChange, ...(writesSpecs ? own : [])],
    prefix: place.prefix,
  }
  const broken: ProtectedEdit[] = []
  for (const edit of protectedEdits(edits, rules)) {
    if (edit.member === undefined || (await isChanged(place, { base, tree }, edit))) {
      broken.push(edit)
    }
  }
  if (broken.length === 0) return undefined
  const words = broken.map(({ path, why }) => `${shown(path)} (${why})`).join(', ')
  return {
    failureClass: 'protected_path_changed',
    summary: `the work changed protected files: ${words}; a person allows it with premath issue update ${issue.id} --may-change <pattern>`,
  }
}

async function editsOf(
  place: LandingPlace,
  base: string,
  tree: string,
): Promise<readonly TreeEdit[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--ignore-submodules=none']
  const edits = readTreeEdits(await landingPaths(place, place.top, [...args, base, tree]))
  if (!edits.some(({ kind }) => kind === 'added')) return edits
  const there = await landingPaths(place, place.top, ['ls-tree', '-r', '-z', '--name-only', base])
  return withVariants(edits, there)
}

async function isChanged(
  place: LandingPlace,
  { base, tree }: { readonly base: string; readonly tree: string },
  { path, member = '' }: ProtectedEdit,
): Promise<boolean> {
  const [before, after] = await Promise.all(
    [base, tree].map(async commit => {
      const asked = ['cat-file', 'blob', `${commit}:${path}`]
      const { exitCode, stdout } = await askLanding(place, place.top, asked)
      return exitCode === 0 ? stdout : ''
    }),
  )
  return isMemberChanged(before ?? '', after ?? '', member)
}
