import { declaredCapabilities, ramdaCapabilities } from '../kernel/spec/capabilities.ts'
import { isError } from '../kernel/spec/document/problem.ts'
import type { SpecReport } from '../wire/spec-report.ts'
import { type Answer, operation } from './operation.ts'
import { specFields } from './spec-fields.ts'
import { problemsTalk } from './spec-problems.ts'
import { reportField, reportRequests } from './spec-reports/report-field.ts'
import { runReports } from './spec-reports/reports.ts'

const reportNames = Object.keys(runReports)
const nanosPerMilli = 1_000_000n

export const specRun = operation({
  group: 'spec',
  summary: 'Run the cases of spec documents.',
  description:
    'Runs every case below the paths and tells which of them fail, with their place. Exits 0 when none fails, 1 when one does, and 2 when a document, or a part of one, could not be read; the rest is run all the same. Specs are trusted: a cli.run case runs any command with your rights, and so do its hooks. Do not run specs of others without reading them. Commands inherit your environment, so keep secrets out of it or name what they may have in SPEC_RUNNER_ENV_ALLOWLIST=K1,K2. With SPEC_RUNNER_SAFE_MODE=1 cases with hooks fail before anything of them runs; it is no sandbox.',
  effect: 'projection',
  input: {
    ...specFields,
    jobs: {
      type: 'count',
      describe: 'How many cases run at the same time; one a core when left out.',
      placeholder: 'n',
    },
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
    failFast: { type: 'flag', describe: 'Begin no case after one failed.' },
    noWitness: {
      type: 'flag',
      describe: 'Leave no witness; without this, a run in a project leaves one that closes issues.',
    },
    report: reportField(reportNames),
  },
  examples: [
    { command: 'premath spec run', shows: 'whether the specs below this folder hold' },
    {
      command: 'premath spec run docs --tag smoke --fail-fast',
      shows: 'a quick look, up to the first failure',
    },
    { command: 'premath spec run docs/login.spec.md --json', shows: 'the report for a program' },
    {
      command: 'premath spec run docs --report junit=out/specs.xml --report html=out/specs.html',
      shows: 'the page, with a report for CI and one to look at',
    },
  ],

  async run(input, context) {
    const requests = reportRequests(input.report, reportNames, context)
    // The readers of Markdown and YAML are large, and help needs neither.
    const { isUnreadable, readSpecs } = await import('./spec-input.ts')
    const { chosen, executable, runSpecs } = await import('./spec-outcomes.ts')
    const { specReport, specRunPage, witnessedReport } = await import('./spec-run-page.ts')
    const { leaveWitness, treeBefore } = await import('./spec-witness.ts')
    const { SpecProgress } = await import('./spec-progress.ts')
    const { reportedRun } = await import('./spec-reports/reported-run.ts')
    const { withReports } = await import('./spec-reports/with-reports.ts')
    const specs = await readSpecs(input, context)
    const cases = chosen(executable(specs.cases), input)
    const capabilities = new Set([...declaredCapabilities, ...ramdaCapabilities])
    const offer = { implementation: 'ts', capabilities }
    const { jobs, failFast } = input
    const before = input.noWitness ? undefined : await treeBefore(context)
    const watch = new SpecProgress(cases.length, context.clock)
    const startedMs = Number(context.clock.now() / nanosPerMilli)
    const ran = await context.showing(watch.line, () =>
      runSpecs(specs, { cases, offer, jobs, failFast, watch }, context),
    )
    const outcome = specReport(ran, specs)
    const witness = before && (await leaveWitness(before, outcome, specs, context))
    const report = witnessedReport(outcome, witness)
    const unreadable = isUnreadable(specs)
    const talk = problemsTalk(specs.documentProblems.filter(isError))
    const answer: Answer<SpecReport> = {
      output: report,
      yes: report.result === 'accepted',
      ...(unreadable && { exitCode: 2 }),
      ...(talk !== undefined && { talk }),
      render: page => specRunPage(report, ran.outcomes, page, witness),
    }
    const reported = () => reportedRun(answer, { startedMs, ...ran }, specs, context)
    return await withReports(answer, { requests, reports: runReports, reported }, context)
  },
})
