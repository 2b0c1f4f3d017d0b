/** The paths that the work of an issue changed, as its required checks see them. */
import { type InstructionRefusal, refused } from '../../kernel/instruction/instruction-refusal.ts'
import { isAmbiguous } from '../../kernel/required/changed-paths.ts'
import { deltaOf } from '../../kernel/required/delta.ts'
import type { RequiredDelta } from '../../wire/required/delta.ts'
import { type LandingPlace, landingPaths } from './landing-git.ts'

interface Between {
  /** A commit or a tree; without it, every file is new. */
  readonly from: string | undefined
  readonly to: string
}

/** A renamed file counts under both names. Files outside of the project's folder do not count. */
export async function landingDelta(
  place: LandingPlace,
  { from, to }: Between,
): Promise<RequiredDelta | InstructionRefusal> {
  const { prefix, top } = place
  const options = ['-r', '-z', '--name-only']
  const differ = ['diff-tree', ...options, '--no-renames', '--ignore-submodules=none']
  const asked = from === undefined ? ['ls-tree', ...options, to] : [...differ, from, to]
  const listed = await landingPaths(place, top, asked)
  const committed = listed.flatMap(path =>
    path.startsWith(prefix) ? [path.slice(prefix.length)] : [],
  )
  return (
    ambiguousIn(committed) ??
    deltaOf(
      { committed, staged: [], unstaged: [], untracked: [] },
      { fromRef: from ?? null, toRef: to },
    )
  )
}

/** Without git: the edits are known. */
export function editedDelta(changedPaths: readonly string[]): RequiredDelta | InstructionRefusal {
  const listed = { committed: changedPaths, staged: [], unstaged: [], untracked: [] }
  const delta = deltaOf(listed, { fromRef: null, toRef: 'HEAD' })
  return ambiguousIn(changedPaths) ?? { ...delta, source: 'explicit' }
}

/** The normal form of such a path may be that of another one, for which fewer checks are required. */
function ambiguousIn(paths: readonly string[]): InstructionRefusal | undefined {
  const odd = paths.find(isAmbiguous)
  if (odd === undefined) return undefined
  const name = JSON.stringify(odd)
  return refused(
    'required_delta_invalid',
    `the changed file ${name} has a backslash or blanks at an end of its path`,
  )
}
