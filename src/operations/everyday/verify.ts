import type { ExitCode, Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import type { InputOf } from '../../field.ts'
import { allowForcedField, memoryFields } from '../../input/issue-fields.ts'
import { readVariables, variableFields } from '../../input/spec-variables.ts'
import { type ProjectSeeker, seekProject } from '../../project/open.ts'
import { openIssues } from '../../project/open-issues.ts'
import { openWitnesses } from '../../project/open-witnesses.ts'
import { resolvePath } from '../../project/paths.ts'
import type { Verdict } from '../../project/proofs/witness-verdict.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import {
  unprovenWords,
  verdictsPage,
  verdictsReport,
  verifiedCount,
} from '../../render/witness-verdicts.ts'
import { VerifyAnswer } from '../../wire/answers/everyday.ts'
import { operation } from '../operation.ts'
import type { RanSpecs, SpecRunInput } from '../spec-run-once.ts'

const fields = { ...specFields, ...variableFields, ...allowForcedField, ...memoryFields }

export const verify = operation({
  group: 'everyday',
  summary: 'Run the specs, and verify all proofs and witnesses.',
  description:
    'Runs the cases as premath spec run does, which leaves a witness, and then verifies every proof and witness as premath witness verify --all does. A folder without spec documents is no failure. Exits with the higher exit code of the two: 0 if everything passes, 1 if a case fails, a proof is rejected, a closed issue has none, or one was closed by force (unless --allow-forced), 2 if a document could not be read completely, 3 if the witness could not be written, and 5 if content does not match its digest. Specs are trusted: they run any command with your rights.',
  effect: 'projection',
  opId: 'op/everyday.verify',
  input: fields,
  output: VerifyAnswer,
  examples: {
    'premath verify': 'whether all specs pass and all proofs hold',
    'premath verify docs/login.spec.md': 'the same with one document',
    'premath verify --json': 'the report of both as JSON',
  },

  async run(input, given) {
    const context = seekProject(given)
    await mustBeNoIssues(input, context)
    const ran = await runSpecs(input, context)
    // After the specs, because their witness is verified with the others.
    const verdicts = await verdictsOf(input, context)
    const { exitCode: proofsExit, ...proofs } = verdictsReport(verdicts)
    const specsExit = ran?.exitCode ?? 0
    const exitCode = Math.max(specsExit, proofsExit) as ExitCode
    const { countsOf, notableLines } = await import('../../render/specs/run-page.ts')
    const specLines = (page: Page) => {
      if (ran === undefined) return ['specs: skipped, this folder has none']
      const { report, outcomes } = ran
      const counts = report.total === 0 ? 'there is no case to run' : countsOf(report, page)
      return [...notableLines(report, outcomes, page), `specs: ${counts}`]
    }
    return {
      output: {
        action: 'verify',
        proofs: { ...proofs, verified: verifiedCount(verdicts) },
        result: exitCode === 0 ? 'accepted' : 'rejected',
        specs: ran?.report ?? null,
      },
      yes: exitCode === 0,
      exitCode,
      ...(ran?.message !== undefined && { message: ran.message }),
      render: page =>
        `${specLines(page).join('\n')}\n${verdictsPage(verdicts, 'failed', page)}${proofsLine(verdicts)}\n`,
    }
  },
})

/** A person who asks about an issue means its proof. A file or folder of that name comes first. */
async function mustBeNoIssues(
  { path: paths, issues }: InputOf<typeof fields>,
  context: ProjectSeeker,
): Promise<void> {
  for (const path of paths) {
    if (await context.files.kindOf(resolvePath(context.cwd(), path))) continue
    const { store } = await openIssues(await context.project(), { issues }, 'look')
    if (!(await store.exists()) || !(await store.read()).get(path)) continue
    throw new Fault('usage', `${path} is an issue, and premath verify takes paths of specs`, {
      hint: `To verify the proof of the issue: premath witness verify ${path}`,
      detail: { issueId: path },
    })
  }
}

/** Returns `undefined` if no path is named and there is no document. */
async function runSpecs(
  input: InputOf<typeof fields>,
  context: ProjectSeeker,
): Promise<RanSpecs | undefined> {
  const flags = { ...noFlags, variables: readVariables(input, context) }
  // The Markdown and YAML readers are large, and help needs neither.
  const { readChosen, runChosen } = await import('../spec-run-once.ts')
  const asked: SpecRunInput = { ...wholeRun, ...input }
  const found = await readChosen(asked, flags, context)
  const { documents, documentProblems } = found.specs
  const hasNone = documents.length === 0 && documentProblems.length === 0
  if (hasNone && input.path.length === 0) return undefined
  return await runChosen(found, { input: asked, flags, isShown: true }, context)
}

/** Every case, once, with a witness. */
const wholeRun = {
  filter: undefined,
  tag: [],
  jobs: undefined,
  failFast: false,
  failed: false,
  noWitness: false,
  write: false,
  profile: false,
} as const

const noFlags = { shard: undefined, repeat: undefined, retry: undefined, recording: undefined }

async function verdictsOf(
  { issues, allowForced }: Pick<InputOf<typeof fields>, 'issues' | 'allowForced'>,
  context: ProjectSeeker,
): Promise<readonly Verdict[]> {
  const open = await openWitnesses(await context.project(), { issues })
  const { verdictsOnAll } = await import('../../project/proofs/witness-verdict.ts')
  const verdicts: Verdict[] = []
  for await (const verdict of verdictsOnAll(open, { tree: false, allowForced }))
    verdicts.push(verdict)
  return verdicts
}

const proofsLine = (verdicts: readonly Verdict[]) =>
  verdicts.length === 0
    ? 'proofs: there are none yet'
    : `proofs and witnesses: ${verifiedCount(verdicts)} of ${verdicts.length} verified${unprovenWords(verdicts)}`
