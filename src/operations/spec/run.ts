import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { jobsField, mustRunSome } from '../../input/spec-jobs.ts'
import { readRunFlags, runFlagFields } from '../../input/spec-run-flags.ts'
import { seekProject } from '../../project/open.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { reportField, reportRequests } from '../../render/reports/report-field.ts'
import { runReports } from '../../render/reports/reports.ts'
import type { SpecReport } from '../../wire/spec/spec-report.ts'
import { operation } from '../operation.ts'
import type { RanSpecs } from '../spec-run-once.ts'

const reportNames = Object.keys(runReports)

export const specRun = operation({
  group: 'spec',
  summary: 'Run the cases of spec documents.',
  description:
    'Runs every case below the paths and tells which of them fail, with their place. Exits 0 when none fails, 1 when one does or there is none, 2 when a document, or a part of one, could not be read, with the rest run all the same, and 3 when only the witness could not be written. With --watch it goes on until Ctrl-C, and exits by the last that is known of every case. Specs are trusted: a cli.run case runs any command with your rights, and so do its hooks. Do not run specs of others without reading them. Commands inherit your environment, so keep secrets out of it or name what they may have in SPEC_RUNNER_ENV_ALLOWLIST=K1,K2. With SPEC_RUNNER_SAFE_MODE=1 cases with hooks fail before anything of them runs; it is no sandbox.',
  effect: 'projection',
  input: {
    ...specFields,
    ...jobsField,
    filter: {
      type: 'text',
      describe: 'Run only cases that have this in their id, title or path.',
      placeholder: 'text',
    },
    tag: {
      type: 'text',
      describe: 'Run only cases with this tag, or one of several.',
      placeholder: 'tag',
      many: true,
    },
    failFast: { type: 'flag', describe: 'Begin no case after one failed, and end those that run.' },
    noWitness: {
      type: 'flag',
      describe: 'Leave no witness; without this, a run in a project leaves one that closes issues.',
    },
    report: reportField(reportNames),
    ...runFlagFields,
  },
  examples: [
    { command: 'premath spec run', shows: 'whether the specs below this folder hold' },
    {
      command: 'premath spec run docs --tag smoke --fail-fast',
      shows: 'a quick look, up to the first failure',
    },
    { command: 'premath spec run docs/login.spec.md --json', shows: 'the report for a program' },
    {
      command:
        'premath spec run docs --report junit=artifacts/specs.xml --report html=artifacts/specs.html',
      shows: 'the page, with a report for CI and one to look at',
    },
    {
      command: 'premath spec run --failed --trace',
      shows: 'what failed, and what was done for it',
    },
    { command: 'premath spec run --watch', shows: 'again what a change touches, until Ctrl-C' },
    {
      command: 'premath spec run --shard 2/5 --retry 2',
      shows: 'a fifth of the cases, trying again what fails',
    },
  ],

  async run(input, given) {
    const context = seekProject(given)
    const requests = reportRequests(input.report, reportNames, context)
    const flags = readRunFlags(input)
    mustRunSome(input.jobs)
    // The readers of Markdown and YAML are large, and help needs neither.
    if (input.watch) {
      if (requests.length > 0) throw reportWhileWatching()
      const { watchSpecs } = await import('../spec-watch.ts')
      return await watchSpecs(input, flags, context)
    }
    const { readChosen, runChosen } = await import('../spec-run-once.ts')
    const { reportedRun } = await import('../../render/reports/reported-run.ts')
    const { withReports } = await import('../../render/reports/with-reports.ts')
    const { mustBeApart } = await import('../../render/reports/report-places.ts')
    const found = await readChosen(input, flags, context)
    await mustBeApart(requests, found.specs.documents, context)
    const ran = await runChosen(found, { input, flags, isShown: true }, context)
    const answer: Answer<SpecReport> = {
      output: ran.report,
      yes: ran.report.result === 'accepted',
      exitCode: ran.exitCode,
      ...(ran.talk !== undefined && { talk: ran.talk }),
      render: ran.page,
    }
    const reported = () => reportedRun(answer, ran, found.specs, context)
    const told = await withReports(answer, { requests, reports: runReports, reported }, context)
    const isMoved = requests.some(({ path }) => path !== undefined) && (await hasMoved(ran))
    return isMoved ? { ...told, talk: [told.talk, movedNote].filter(Boolean).join('\n') } : told
  },
})

const hasMoved = async ({ witnessed }: RanSpecs) =>
  witnessed !== undefined && !(await witnessed.isUnchanged())

/** The witness is of the tree before them. */
const movedNote =
  'note: the reports changed the tree, so the witness closes no issue; write them below artifacts/, or have git ignore them'

/** It would be of a few cases, and then of others. */
const reportWhileWatching = () =>
  new Fault('usage', '--report and --watch do not go together', {
    hint: '--watch --json prints one report a line.',
  })
