/** Reads `.premath/required-checks.json` and finds the command of each check. */

import type { Checks } from '../../kernel/instruction/checks.ts'
import { type InstructionRefusal, refused } from '../../kernel/instruction/instruction-refusal.ts'
import { readPathRules } from '../../kernel/required/path-rules.ts'
import { requiredChecksPath } from '../../kernel/required/paths.ts'
import type { RequiredChecks } from '../../wire/required/required-checks.ts'
import type { Project } from '../open.ts'
import { fromFiles, type ReadsDocument } from '../policies/checks-file.ts'
import { checkCommands } from '../policies/required-checks.ts'
import { Unreadable } from '../small-document.ts'

const bad = (why: string) => refused('required_rules_invalid', why, [requiredChecksPath])

export async function openPathRules(
  project: Project,
  read: ReadsDocument = fromFiles(project),
): Promise<RequiredChecks | InstructionRefusal> {
  const document = await read(requiredChecksPath)
  if (document === undefined) return bad(`the project has no ${requiredChecksPath}`)
  if (document instanceof Unreadable) return bad(`${requiredChecksPath}: ${document.why}`)
  const rules = readPathRules(document)
  return typeof rules === 'string' ? bad(`${requiredChecksPath}: ${rules}`) : rules
}

/** The commands of these checks, or the first one that has none. */
export async function requiredCommands(
  checkIds: readonly string[],
  { checks = {} }: RequiredChecks,
  project: Project,
  read: ReadsDocument = fromFiles(project),
): Promise<Checks | InstructionRefusal> {
  const own = Object.entries(checks).flatMap(([checkId, { command }]) =>
    command === undefined ? [] : [[checkId, command] as const],
  )
  const [first] = own
  // Only commands that were put in force count there.
  if (first && (await project.isGoverned())) {
    const remedy =
      'move it to .premath/checks.json, and put that in force: premath policy set --input .premath/checks.json --promotion <evidence> --reason <why>'
    return bad(
      `${requiredChecksPath} has a command for ${first[0]}; in a governed project, ${remedy}`,
    )
  }
  const commands = new Map([...(await checkCommands(project, read)), ...own])
  const lacking = checkIds.find(checkId => !commands.has(checkId))
  if (lacking === undefined) return commands
  return bad(`the check ${lacking} has no command in ${requiredChecksPath} or .premath/checks.json`)
}
