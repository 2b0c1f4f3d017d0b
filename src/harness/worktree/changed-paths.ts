/**
 * Asks git which paths changed: between two commits, in the index, in the files, and new ones. A
 * renamed file has both names, and a deleted one is listed.
 */
import {
  allRead,
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import { isAmbiguous } from '../../kernel/required/changed-paths.ts'
import { baseNames, deltaOf, headName, type ListedPaths } from '../../kernel/required/delta.ts'
import type { RequiredDelta } from '../../wire/required/delta.ts'
import { shown } from '../../world/system-error.ts'
import { askGit, type GitPlace, listBytesMax } from './git.ts'

const bad = (why: string) => refused('required_delta_invalid', why)

interface Asked {
  readonly fromRef?: string | undefined
  readonly toRef?: string | undefined
}

/** `folder` is the folder of the project in a worktree. Changes outside of it do not count. */
export async function gitDelta(
  place: GitPlace,
  folder: string,
  asked: Asked,
): Promise<RequiredDelta | InstructionRefusal> {
  const inside = await ask(place, folder, ['rev-parse', '--is-inside-work-tree'])
  if (inside.exitCode !== 0) return bad(`${shown(folder)} is not in a git repository`)
  const toRef = headName(asked.toRef, place.env)
  const { names, isNamed } = baseNames(asked.fromRef, place.env)
  const head = await commitNamed(place, folder, toRef)
  // Before the first commit there is no HEAD, and every file is new.
  if (head === undefined && toRef !== 'HEAD') return bad(`git knows no commit ${shown(toRef)}`)
  const fromRef = head === undefined ? undefined : await firstKnown(place, folder, names)
  if (fromRef === undefined && isNamed && head !== undefined) {
    return bad(`git knows no commit ${names.map(shown).join(' or ')}`)
  }
  const listed = await listedPaths(place, folder, { base: fromRef, head: head && toRef })
  if (isRefused(listed)) return listed
  const odd = Object.values(listed).flat().find(isAmbiguous)
  if (odd !== undefined) {
    return bad(
      `the changed file ${JSON.stringify(odd)} has a backslash or blanks at an end of its path`,
    )
  }
  return deltaOf(listed, { fromRef: fromRef ?? null, toRef })
}

const options = ['--name-only', '-z', '--no-renames', '--relative', '--ignore-submodules=none']

async function listedPaths(
  place: GitPlace,
  folder: string,
  { base, head }: { readonly base: string | undefined; readonly head: string | undefined },
): Promise<ListedPaths | InstructionRefusal> {
  const committed =
    base !== undefined
      ? ['diff', ...options, '--end-of-options', `${base}...${head}`]
      : ['ls-tree', '-r', '-z', '--name-only', head ?? 'HEAD']
  const list = (args: readonly string[]) => pathsFrom(place, folder, args)
  const found = {
    committed: head === undefined ? [] : await list(committed),
    staged: await list(['diff', '--cached', ...options]),
    unstaged: await list(['diff', ...options]),
    untracked: await list(['ls-files', '-z', '--others', '--exclude-standard']),
  }
  return allRead(found)
}

async function pathsFrom(
  place: GitPlace,
  folder: string,
  args: readonly string[],
): Promise<readonly string[] | InstructionRefusal> {
  const { exitCode, isWhole, stdout, complaint } = await ask(place, folder, args)
  if (exitCode !== 0) return bad(`git ${args[0]} failed: ${complaint}`)
  if (!isWhole) return bad(`git ${args[0]} lists too many paths`)
  return stdout.split('\0').filter(path => path !== '')
}

async function firstKnown(
  place: GitPlace,
  folder: string,
  names: readonly string[],
): Promise<string | undefined> {
  for (const name of names) {
    if ((await commitNamed(place, folder, name)) !== undefined) return name
  }
  return undefined
}

async function commitNamed(place: GitPlace, folder: string, name: string) {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
  const { exitCode, stdout } = await ask(place, folder, asked)
  return exitCode === 0 ? stdout.trim() : undefined
}

const ask = (place: GitPlace, folder: string, args: readonly string[]) =>
  askGit(place, folder, args, { bytesMax: listBytesMax })
