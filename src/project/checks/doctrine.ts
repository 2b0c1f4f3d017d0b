/** Reads the registry, the policies and the instructions of a project for `premath doctrine-check`. */
import type { DoctrineFacts, InstructionFact } from '../../kernel/checks/doctrine/rules.ts'
import { checkEnvelope } from '../../kernel/instruction/envelope.ts'
import { instructionPolicyFolder } from '../../kernel/instruction/instruction-policy.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { isJsonObject } from '../../kernel/json.ts'
import type { Project } from '../open.ts'
import { openChecks } from '../policies/checks-file.ts'
import { readInstruction } from '../policies/instruction-file.ts'
import { instructionPolicies } from '../policies/instruction-policies.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

type ProjectFacts = Pick<
  DoctrineFacts,
  'reference' | 'claims' | 'instructions' | 'requiredChecks' | 'checks'
>

export async function projectFacts(project: Project): Promise<ProjectFacts> {
  return {
    reference: await referencePage(project),
    claims: [...(await project.claims()), ...(await executableCapabilities(project))],
    instructions: await instructionsIn(project),
    requiredChecks: await requiredChecks(project),
    checks: await openChecks(project),
  }
}

async function referencePage({ files, packageFolder }: Project): Promise<string | undefined> {
  const bytes = await files.readIfPresent(`${packageFolder()}/docs/reference/commands.md`)
  return bytes && new TextDecoder().decode(bytes)
}

/** The opening of the project reads the profiles, and refuses a registry that is no object. */
async function executableCapabilities(project: Project): Promise<readonly string[]> {
  const path = project.at('.premath/capability-registry.json')
  if ((await project.files.kindOf(path)) === undefined) return []
  const registry = await smallDocument(path, project)
  if (registry instanceof Unreadable || !isJsonObject(registry)) return []
  const listed = registry['executableCapabilities']
  return Array.isArray(listed) ? listed.filter(claim => typeof claim === 'string') : []
}

const instructionsFolder = 'instructions'

async function instructionsIn(project: Project): Promise<readonly InstructionFact[]> {
  const folder = project.at(instructionsFolder)
  if ((await project.files.kindOf(folder)) !== 'folder') return []
  const registry = await instructionPolicies(project.root, project)
  const found: InstructionFact[] = []
  for (const { name } of await project.files.list(folder)) {
    if (!name.endsWith('.json')) continue
    const path = `${instructionsFolder}/${name}`
    const place = { project, worktree: project.root, path: project.at(path) }
    const file = await readInstruction(place)
    const envelope = isRefused(file) ? file : file.envelope
    const checked = isRefused(envelope)
      ? envelope
      : checkEnvelope(envelope, registry, project.sha256)
    const none = { requestedChecks: [], capabilityClaims: [] }
    found.push(
      isRefused(checked)
        ? { path, refused: checked, ...none }
        : {
            path,
            refused: undefined,
            requestedChecks: checked.requestedChecks,
            capabilityClaims: checked.capabilityClaims,
          },
    )
  }
  return found
}

/** Only of the project's own policies. premath's require nothing. */
async function requiredChecks(project: Project): Promise<DoctrineFacts['requiredChecks']> {
  const folder = project.at(instructionPolicyFolder)
  if ((await project.files.kindOf(folder)) !== 'folder') return []
  const found: { path: string; checkId: string }[] = []
  for (const { name } of await project.files.list(folder)) {
    const path = `${instructionPolicyFolder}/${name}`
    const policy = name.endsWith('.json') ? await smallDocument(project.at(path), project) : null
    if (policy instanceof Unreadable || !isJsonObject(policy)) continue
    const required = policy['requiredChecks']
    for (const checkId of Array.isArray(required) ? required : []) {
      if (typeof checkId === 'string') found.push({ path, checkId })
    }
  }
  return found
}
