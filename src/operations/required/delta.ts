import { Fault } from '../../fault.ts'
import { gitDelta } from '../../harness/worktree/changed-paths.ts'
import { isGiven, textOf } from '../../kernel/instruction/instruction-field.ts'
import { allRead, isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { isWithin, resolvePath } from '../../project/paths.ts'
import { inputField, requiredInput } from '../../project/required/required-input.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { deltaPage } from '../../render/required-page.ts'
import { RequiredDelta } from '../../wire/required/delta.ts'
import { operation } from '../operation.ts'

export const requiredDelta = operation({
  group: 'required',
  opId: 'op/ci.required_delta',
  summary: 'Find out which paths a change touches.',
  description:
    'Asks git for the paths that differ between two commits, and for uncommitted and untracked files. Deleted files count, and renamed ones under both names. Records of premath do not count. Without fromRef the base is PREMATH_CI_BASE_REF, origin/main, main, origin/master, master or HEAD~1, the first one that exists; without any base, every file counts as changed. Exits 2 if a commit that is named does not exist, or if the two have no common commit.',
  effect: 'read',
  input: inputField('The commits as JSON: {"repoRoot": ".", "fromRef": "main", "toRef": "HEAD"}'),
  output: RequiredDelta,
  examples: {
    'premath required-delta --input range.json': 'the changed paths',
    'premath required-delta --input - --json': 'the paths, the commits and how they were found',
  },

  async run({ input }, context) {
    const action = 'required-delta'
    const document = await requiredInput(input, failureClass, context)
    if (isRefused(document)) return refusedInstruction(action, document)
    const asked = allRead({
      repoRoot: textIn(document, 'repoRoot'),
      fromRef: textIn(document, 'fromRef'),
      toRef: textIn(document, 'toRef'),
    })
    if (isRefused(asked)) return refusedInstruction(action, asked)
    const folder = await folderOf(asked.repoRoot, context)
    const [processes, disk] = await Promise.all([context.processes(), context.disk()])
    const { env } = context
    const delta = await gitDelta({ root: folder, processes, disk, env }, folder, asked)
    if (isRefused(delta)) return refusedInstruction(action, delta)
    return { output: delta, yes: true, render: page => deltaPage(delta, page) }
  },
})

const failureClass = 'required_delta_invalid'

/** `null` counts as absent, since earlier tools write it. */
const textIn = (document: JsonObject, name: string) =>
  isGiven(document, name) && document[name] !== null
    ? textOf(document[name], { at: name, failureClass })
    : undefined

async function folderOf(repoRoot: string | undefined, context: OperationContext): Promise<string> {
  const project = await openProject(context)
  if (repoRoot === undefined) return await project.folderHere()
  const folder = resolvePath(context.cwd(), repoRoot)
  const isAllowed = context.surface === 'cli' || isWithin(folder, project.root)
  if (isAllowed && (await context.files.kindOf(folder)) === 'folder') return folder
  throw new Fault(
    'invalid_input',
    `repoRoot names ${folder}, which is not a folder of the project`,
    {
      hint: 'Name a folder in a git repository, or leave the member out.',
      detail: { repoRoot: folder },
    },
  )
}
