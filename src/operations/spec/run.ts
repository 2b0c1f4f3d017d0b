import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { flagField, textField } from '../../field.ts'
import {
  jobsField,
  mustAllowJobs,
  readRunFlags,
  runFlagFields,
} from '../../input/spec-run-flags.ts'
import { seekProject } from '../../project/open.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { reportField, reportRequests } from '../../render/reports/report-field.ts'
import { runReports } from '../../render/reports/reports.ts'
import { SpecReport } from '../../wire/spec/spec-report.ts'
import { operation } from '../operation.ts'
import type { RanSpecs } from '../spec-run-once.ts'

const reportNames = Object.keys(runReports)

export const specRun = operation({
  group: 'spec',
  summary: 'Run the cases of spec documents.',
  description:
    'Runs every case below the paths and reports failures with their place. A case with expect passes if it ends as expect says, so a case that must fail can stand in any suite. Exits 0 if none fails, 1 if one fails or there is no case, 2 if a document could not be read completely (the other cases still run), and 3 if only the witness could not be written. With --watch it runs until Ctrl-C and exits by the last verdict of every case. Specs are trusted: a cli.run case and its hooks run any command with your rights. Read specs of others before you run them. Commands inherit your environment, so keep secrets out of it or list the allowed variables in SPEC_RUNNER_ENV_ALLOWLIST=K1,K2. With SPEC_RUNNER_SAFE_MODE=1, cases with hooks fail before they run; this is not a sandbox.',
  effect: 'projection',
  opId: 'op/spec.run',
  input: {
    ...specFields,
    ...jobsField,
    filter: textField('text', 'Run only cases with this text in their id, title or path.'),
    tag: textField('tag', 'Run only cases with this tag; may be repeated.', { many: true }),
    failFast: flagField('After the first failure, start no more cases and end the running ones.'),
    noWitness: flagField(
      'Write no witness. By default, a run in a project writes one, which can close issues.',
    ),
    report: reportField(reportNames),
    ...runFlagFields,
  },
  output: SpecReport,
  examples: {
    'premath spec run': 'whether all specs below this folder pass',
    'premath spec run docs --tag smoke --fail-fast': 'stops at the first failure',
    'premath spec run docs/login.spec.md --json': 'the report as JSON',
    'premath spec run docs --report junit=artifacts/specs.xml --report html=artifacts/specs.html':
      'reports for CI and for a browser',
    'premath spec run --failed --trace': 'the failed cases with a trace',
    'premath spec run --watch': 'reruns affected cases after each change',
    'premath spec run --var host=localhost --secret API_TOKEN':
      'with values for {{var.host}} and {{var.API_TOKEN}}',
    'premath spec run docs --write': 'rewrites the generated pages',
    'premath spec run --shard 2/5 --retry 2': 'a fifth of the cases, with retries',
  },

  async run(input, given) {
    const context = seekProject(given)
    const requests = reportRequests(input.report, reportNames, context)
    const flags = readRunFlags(input, context)
    mustAllowJobs(input.jobs)
    // The Markdown and YAML readers are large, and help needs neither.
    if (input.watch) {
      if (requests.length > 0) throw reportWhileWatching()
      const { watchSpecs } = await import('../spec-watch.ts')
      return await watchSpecs(input, flags, context)
    }
    const { readChosen, runChosen } = await import('../spec-run-once.ts')
    const { reportedRun } = await import('../../render/reports/reported-run.ts')
    const { withReports } = await import('../../render/reports/with-reports.ts')
    const { mustNotOverlap: mustBeApart } = await import('../../render/reports/report-places.ts')
    const found = await readChosen(input, flags, context)
    await mustBeApart(requests, found.specs.documents, context)
    const ran = await runChosen(found, { input, flags, isShown: true }, context)
    const answer: Answer<SpecReport> = {
      output: ran.report,
      yes: ran.report.result === 'accepted',
      exitCode: ran.exitCode,
      ...(ran.message !== undefined && { message: ran.message }),
      render: ran.page,
    }
    const reported = () => reportedRun(answer, ran, found.specs, context)
    const reportedAnswer = await withReports(
      answer,
      { requests, reports: runReports, reported },
      context,
    )
    const isMoved = requests.some(({ path }) => path !== undefined) && (await hasMoved(ran))
    return isMoved
      ? {
          ...reportedAnswer,
          message: [reportedAnswer.message, movedNote].filter(Boolean).join('\n'),
        }
      : reportedAnswer
  },
})

const hasMoved = async ({ witnessed }: RanSpecs) =>
  witnessed !== undefined && !(await witnessed.isUnchanged())

/** The witness describes the tree before the reports. */
const movedNote =
  'note: the reports changed the tree, so the witness closes no issue; write them below artifacts/, or let git ignore them'

/** Each round runs different cases, so no report would be complete. */
const reportWhileWatching = () =>
  new Fault('usage', '--report cannot be combined with --watch', {
    hint: '--watch --json prints one report per line.',
  })
