/** A run that a person starts is the instruction for its steps, where the policy demands one. */
import { mutationPolicyDigest } from '../../kernel/authority/mutation-policy.ts'
import { runInstruction } from '../../kernel/instruction/run-instruction.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { type Asking, effectiveMode, instructionIn } from '../authority/authority.ts'
import type { Project } from '../open.ts'
import { mustStayInside } from '../paths.ts'
import { policiesOfRun } from '../policies/required-checks.ts'

interface RunInput extends Asking {
  readonly workCmd: string | undefined
  readonly verifyCmd: string | undefined
  readonly verifySpec: readonly string[]
  readonly verifyRequired: boolean
}

/**
 * The input of a command that runs steps, with its own instruction or with why the caller may not
 * start it. Unchanged if the caller names an instruction, and if the policy demands none.
 */
export async function asRun<T extends RunInput>(input: T, project: Project): Promise<T & Asking> {
  const policy = await project.policy()
  const isDemanded = effectiveMode(policy, project) === 'instruction-linked'
  if (!isDemanded || instructionIn(input, project) !== undefined) return input
  const { runStarter } = await import('../authority/override.ts')
  const startedBy = await runStarter(project)
  if (isRefusal(startedBy)) return { ...input, run: startedBy }
  const { config } = await project.config()
  const { sha256, root } = project
  const isGiven = input.verifySpec.length > 0 || input.verifyCmd !== undefined
  const verifySpecs = isGiven ? input.verifySpec : config.verifySpecs
  const { instructionId, path, text } = runInstruction(
    {
      startedBy,
      mutationPolicyDigest: mutationPolicyDigest(policy, sha256),
      workCommand: input.workCmd ?? config.work ?? null,
      verifyCommand: verifySpecs.length > 0 ? null : (input.verifyCmd ?? config.verify ?? null),
      verifySpecs: [...verifySpecs],
      ...((input.verifyRequired || config.verifyRequired) && { verifyRequired: true }),
      ...(await policiesOfRun(project)),
    },
    sha256,
  )
  const disk = await project.disk()
  await mustStayInside(project.at(path), root, disk)
  await makeGitignoredFolder(project.at(witnessFolder), disk)
  await disk.replace(project.at(path), new TextEncoder().encode(text))
  return { ...input, run: { instructionId } }
}
