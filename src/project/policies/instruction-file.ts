/** Finds and reads the file of an instruction. */

import { Fault } from '../../fault.ts'
import { type Fields, textField } from '../../field.ts'
import { instructionDigestOf } from '../../kernel/instruction/envelope.ts'
import { instructionIdOf } from '../../kernel/instruction/instruction-id.ts'
import {
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import type { Json } from '../../kernel/json.ts'
import type { OperationContext } from '../context.ts'
import { openProject, type Project, projectAt } from '../open.ts'
import { followLinks, isWithin, resolvePath } from '../paths.ts'
import { parsedSmall, readSmall, Unreadable } from '../small-document.ts'

export const instructionFields = {
  instruction: textField('file', 'The instruction, a file called <time>-<id>.json.', {
    required: true,
    path: true,
    mayBeBare: true,
  }),
  repoRoot: textField(
    'dir',
    'The folder that policies and relative paths are found in; without it, the project’s.',
    { path: true, also: ['repo'] },
  ),
} as const satisfies Fields

interface InstructionInput {
  readonly instruction: string
  readonly repoRoot: string | undefined
}

/** An instruction, and the folders that it is about. */
export interface InstructionPlace {
  /** Holds policies and witnesses. */
  readonly project: Project
  /** The folder that checks run in: the linked worktree, where there is one. */
  readonly worktree: string
  readonly path: string
}

export async function instructionPlace(
  { instruction, repoRoot }: InstructionInput,
  context: OperationContext,
): Promise<InstructionPlace> {
  if (repoRoot === undefined) {
    const project = await openProject(context)
    const worktree = (await project.worktree()) ?? project.root
    return { project, worktree, path: resolvePath(context.cwd(), instruction) }
  }
  const root = resolvePath(context.cwd(), repoRoot)
  if ((await context.files.kindOf(root)) !== 'folder') {
    throw new Fault('usage', `--repo-root names ${root}, which is not a folder`, {
      hint: 'Name the folder that holds policies/ and .premath/, or leave the flag out.',
    })
  }
  const project = projectAt(root, context)
  return { project, worktree: root, path: resolvePath(root, instruction) }
}

export interface InstructionFile {
  readonly instructionId: string
  /** The path in witnesses: from the project, so that it is equal on every machine. */
  readonly instructionRef: string
  readonly instructionDigest: string
  /** A refusal where the text is not JSON. */
  readonly envelope: Json | InstructionRefusal
}

/** Reads the file. The name is checked first, since it becomes part of paths. */
export async function readInstruction(
  place: InstructionPlace,
): Promise<InstructionFile | InstructionRefusal> {
  const instructionId = instructionIdOf(place.path)
  if (isRefused(instructionId)) return instructionId
  const text = await instructionText(place)
  if (isRefused(text)) return text
  const document = await parsedSmall(text)
  const instructionRef = refOf(place)
  const { sha256 } = place.project
  if (document instanceof Unreadable) {
    const why = `${instructionRef}: ${document.why}`
    return {
      instructionId,
      instructionRef,
      // Text that is not JSON has no canonical form.
      instructionDigest: `instr1_${sha256(text)}`,
      envelope: refused('instruction_envelope_invalid_json', why),
    }
  }
  const instructionDigest = instructionDigestOf(document, sha256)
  return { instructionId, instructionRef, instructionDigest, envelope: document }
}

async function instructionText({ path, project, worktree }: InstructionPlace) {
  const bad = (why: string) => refused('instruction_envelope_invalid', `${path}: ${why}`)
  const disk = await project.disk()
  for (const folder of new Set([project.root, worktree])) {
    const { real, leadsOut } = await followLinks(path, folder, disk)
    if (leadsOut) return bad(`leaves the project through a symbolic link, to ${real}`)
  }
  const text = await readSmall(path, project)
  return text instanceof Unreadable ? bad(text.why) : text
}

function refOf({ path, project, worktree }: InstructionPlace): string {
  const home = [worktree, project.root].find(folder => isWithin(path, folder))
  return home === undefined ? path : path.slice(home === '/' ? 1 : home.length + 1)
}
