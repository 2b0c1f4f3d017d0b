/** Remedies about how steps and runs end. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { premathInShell } from '../a-loop.ts'
import { leased } from '../a-project.ts'
import { oneAttempt, retryPolicyWith } from '../a-retry-policy.ts'
import { evidence } from '../a-turn.ts'
import type { Place, Row } from './remedy.ts'

const one = ['premath init', 'premath issue add one']
const two = [...one, 'premath issue add two']

const verified = "--verify-cmd 'test -d .premath'"
const step = (more = '') => `premath harness-step --issue bd-1 --worker w ${more}`
const loop = (more = '') => `premath harness-loop worker --worker w ${more}`

/** Commands for every step of the project, so that a printed command needs no flags. */
const worksBy = (work: string) => (place: Place) => {
  place.write('work.sh', work)
  place.run(...one, "premath config set work 'sh work.sh'")
  place.run("premath config set verify 'test -d .premath'")
}

/** Hands its work to another location once. The transport is a copy of the project beside it. */
const sent = (place: Place) => {
  const handoff = { target: 'location://far', requiredArtifactRefs: [], returnPathRef: 'r' }
  worksBy(`cat turn.json >> "$PREMATH_TURN_EVIDENCE"`)(place)
  place.write('turn.json', `${JSON.stringify({ evidence: evidence(['tc-1'], { handoff }) })}\n`)
  place.write(
    'transport.sh',
    `set -e
far=$(mktemp -d) name=$(basename "$PREMATH_RELOCATION")
cp -R . "$far"
printf '{"schema":1,"outcomeKind":"premath.harness.transport_outcome.v1","relocationDigest":"sha256:%s","result":"delivered"}\\n' "\${name%.json}" >> "$PREMATH_RELOCATION_EVIDENCE"
cd "$far"
${premathInShell} harness-relocation check --input "artifacts/relocations/$name" --verify-cmd 'test -d .premath' --json >> "$PREMATH_RELOCATION_EVIDENCE"
rm -r "$far"
`,
  )
}

/** A person mends the cause after the first time. */
const once = (fails: string) =>
  worksBy(`[ -e artifacts/seen ] || { touch artifacts/seen\n${fails}\n}\n`)

const openTurn = once('echo nonsense >> "$PREMATH_TURN_EVIDENCE"')

/** Work that writes a row of its issue and fails, so that another attempt is due. */
const writing = (row: object) => (place: Place) => {
  place.run(...one)
  place.write('row.jsonl', `${JSON.stringify(row)}\n`)
  place.write('work.sh', 'cat row.jsonl >> .premath/issues.jsonl; exit 1')
}

/** The row of the issue as the step holds it. */
const held = (more: object = {}) =>
  leased('bd-1', 'w', 3600, { metadata: { premathFence: 1 }, ...more })

/** Every failure has one attempt. */
const triedOnce = (...lines: readonly string[]) => {
  return (place: Place) => {
    place.run(...lines)
    place.write('retry.json', oneAttempt())
  }
}

/** A failure of this class is reported as an issue at once. */
const reportedOnce = (place: Place) => {
  place.run(...one)
  const rule = { ruleId: 'r', failureClasses: ['lost_x'], maxAttempts: 1, backoffClass: 'none' }
  const rules = [{ ...rule, escalationAction: 'issue_discover' }]
  place.write('retry.json', retryPolicyWith({ rules }))
  place.write('work.sh', "echo 'lost_x: gone' >&2; exit 1")
}
const reporting = step(`--work-cmd 'sh work.sh' ${verified} --retry-policy retry.json`)

const failing = `--work-cmd false ${verified} --retry-policy retry.json`

/** Too many of the last steps failed. */
const lowKpi = (place: Place) => {
  place.run(...two)
  const finishedAt = new Date(Date.now() - 60_000).toISOString()
  const row = { schema: 1, stepKind: 'premath.harness.step.v1', action: 'harness.step' }
  const failed = { ...row, resultClass: 'check_failed', workerId: 'w', finishedAt }
  const rows = Array.from({ length: 10 }, (_, at) => ({ ...failed, stepId: `w.bd-1.${at}.1` }))
  const text = rows.map(one => `${JSON.stringify(one)}\n`).join('')
  place.write('.premath/harness_trajectory.jsonl', text)
}

const observed = (given: (place: Place) => void) => (place: Place) => {
  given(place)
  place.run('premath observe-build')
}

const session = (id: string) => `premath harness-session write --state active --issue-id ${id}`

const linked = JSON.stringify({ schema: 1, surfaces: { cli: { mode: 'instruction-linked' } } })
const looking = (place: Place) => {
  place.run(...one, 'premath issue claim bd-1 --assignee w', session('bd-1'))
  writeFileSync(place.at('.premath/policy.json'), linked)
}

export const stepRemedies: readonly Row[] = [
  {
    remedy: 'fix the failure, then claim the issue again: premath harness-step --issue …',
    given: once('exit 127'),
    ask: step(),
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'premath harness-step --worker … --issue …',
    given: openTurn,
    ask: step(),
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'premath harness-step --worker … --issue …',
    given: sent,
    ask: step(),
    completes: {
      "premath harness-step --worker w --issue bd-1 --transport-cmd '<command>'":
        "premath harness-step --worker w --issue bd-1 --transport-cmd 'sh transport.sh'",
    },
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'premath harness-step --worker … --issue …',
    given: openTurn,
    ask: loop(),
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'premath harness-step --worker … --issue …',
    given: place => {
      worksBy('true')(place)
      place.run('premath issue claim bd-1 --assignee w')
    },
    ask: 'premath harness-stop --worker w --keep-lease',
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'claim the issue again: premath harness-step --issue …',
    given: place => {
      worksBy('true')(place)
      place.run('premath issue claim bd-1 --assignee w')
    },
    ask: 'premath harness-stop --worker w',
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'claim the issue again: premath harness-step --issue …',
    given: place => {
      worksBy('true')(place)
      place.run(session('bd-1'))
      place.project.given(leased('bd-1', 'w', -60))
    },
    ask: 'premath harness-stop --worker w',
    works: 'premath witness verify bd-1',
  },
  {
    remedy: 'search for the issue: premath issue list',
    given: [...one, session('bd-9')],
    ask: 'premath harness-stop --worker w',
    shows: /bd-1/,
  },
  {
    remedy: 'repair the row: premath doctor',
    given: place => {
      place.run(...one, session('bd-1'))
      place.project.given(leased('bd-1', 'w', 600, { status: 'closed' }))
    },
    ask: 'premath harness-stop --worker w',
    shows: /lease-release bd-1 --assignee w/,
  },
  ...[600, -600].map(seconds => ({
    remedy: 'premath issue lease-release … --assignee … --lease-id … --fence … gives it back.',
    given: (place: Place) => {
      place.run(...one)
      place.project.given(leased('bd-1', 'w', seconds, { status: 'closed' }))
    },
    ask: 'premath doctor',
    shows: /Released bd-1/,
  })),
  {
    remedy: 'Start with premath issue show ….',
    given: place => {
      place.run('premath init', session('bd-1'))
      place.project.given(leased('bd-1', 'earlier', -60))
      place.write('work.sh', 'echo nonsense >> "$PREMATH_TURN_EVIDENCE"')
      place.ask(step(`--work-cmd 'sh work.sh' ${verified}`))
      // As the work of the step asks.
      place.env['PREMATH_ISSUE_ID'] = 'bd-1'
      place.env['PREMATH_HANDOFF_FILE'] = place.at('artifacts/steps/w.bd-1.1.1/handoff.json')
    },
    ask: 'premath prime',
    shows: /Issue bd-1/,
  },
  {
    remedy: '- `premath issue show …`: show …',
    given: looking,
    ask: 'premath prime',
    shows: /one/,
  },
  {
    remedy: '- `premath harness-trajectory query --issue …`: list earlier attempts',
    given: place => {
      place.run(...one)
      place.ask(step(failing.replace(' --retry-policy retry.json', '')))
      place.run('premath reopen bd-1', session('bd-1'))
      writeFileSync(place.at('.premath/policy.json'), linked)
    },
    ask: 'premath prime',
    shows: /check_failed/,
  },
  {
    remedy: '- `premath issue ready`: list other ready issues',
    given: place => {
      looking(place)
      const row = { id: 'bd-2', title: 'two', status: 'open' }
      appendFileSync(place.project.issues, `${JSON.stringify(row)}\n`)
    },
    ask: 'premath prime',
    shows: /bd-2/,
  },
  {
    remedy: '- `premath spec run …`: check whether it is done',
    given: place => {
      place.write('a.spec.md', '# A spec\n\n```console\n$ true\n```\n')
      place.run(...one, 'premath issue update bd-1 --spec a.spec.md', session('bd-1'))
      writeFileSync(place.at('.premath/policy.json'), linked)
    },
    ask: 'premath prime',
    shows: /1 passed/,
  },
  {
    remedy: 'See what failed: premath show …. To try again: premath reopen ….',
    given: place => {
      triedOnce(...one)(place)
      place.ask(step(failing))
    },
    ask: 'premath status',
    leaves: { 'premath show bd-1': 'The next row runs it.' },
    works: step(`--work-cmd true ${verified}`),
  },
  {
    remedy: 'See what failed: premath show …. To try again: premath reopen ….',
    given: place => {
      triedOnce(...one)(place)
      place.ask(step(failing))
    },
    ask: 'premath status',
    leaves: { 'premath reopen bd-1': 'The row before runs it.' },
    shows: /last failure check_failed/,
  },
  {
    remedy: 'When it can be worked on: premath reopen ….',
    given: [...one, 'premath issue update bd-1 --status blocked'],
    ask: 'premath status',
    works: step(`--work-cmd true ${verified}`),
  },
  {
    remedy: 'premath harness-retry …--attempt … --wait',
    given: one,
    ask: 'premath harness-escalate --scope s --failure-class check_failed',
    shows: /Retry/,
  },
  {
    remedy:
      '- `premath harness-trajectory query --mode failed --issue …` shows no failure of that class after the fix.',
    given: place => {
      reportedOnce(place)
      place.ask(reporting)
    },
    ask: 'premath issue show bd-2',
    shows: /lost_x/,
  },
  {
    remedy: 'read the issue that was added: premath issue show …',
    given: reportedOnce,
    ask: reporting,
    shows: /matchedFailureClass: lost_x/,
  },
  {
    remedy: 'read the earlier findings: premath issue show …',
    given: place => {
      reportedOnce(place)
      place.ask(reporting)
    },
    ask: reporting,
    shows: /bd-2 \(discovered-from, open\)/,
  },
  {
    remedy: 'another worker may hold the issue: premath issue show …; claim another issue',
    given: writing(leased('bd-1', 'x', 3600, { metadata: { premathFence: 2 } })),
    ask: step(`--work-cmd 'sh work.sh || true' ${verified}`),
    shows: /lease1_bd-1_x of x, active/,
  },
  {
    remedy: 'Show its current owner: premath issue show ….',
    given: writing(leased('bd-1', 'x', 3600, { metadata: { premathFence: 2 } })),
    ask: loop(`--work-cmd 'sh work.sh' ${verified}`),
    shows: /lease1_bd-1_x of x, active/,
  },
  {
    remedy: 'Show its current owner: premath issue show ….',
    given: writing(held({ lease: { ...held().lease, lease_id: 'lease1_bd-1_x' } })),
    ask: step(`--work-cmd 'sh work.sh' ${verified}`),
    shows: /lease1_bd-1_x of w, active/,
  },
  {
    remedy: 'Open it again if work is left: premath issue update … --status open.',
    given: writing(held({ status: 'closed' })),
    ask: step(`--work-cmd 'sh work.sh' ${verified}`),
    works: step(`--work-cmd true ${verified}`),
  },
  {
    remedy: 'Show what it waits for: premath issue show ….',
    given: [
      ...two,
      'premath issue claim bd-1 --assignee w',
      'premath dep add bd-1 bd-2 --lease-id lease1_bd-1_w --fence 1',
    ],
    ask: step(`--work-cmd true ${verified}`),
    shows: /bd-2/,
  },
  {
    remedy: 'Show the policy in force: premath policy show.',
    given: place => {
      place.run(...one)
      place.write('policy.json', linked)
      place.write('work.sh', 'cp policy.json .premath/policy.json; exit 1')
    },
    ask: step(`--work-cmd 'sh work.sh' ${verified}`),
    shows: /instruction-linked/,
  },
  {
    remedy: 'Fix the common cause: premath harness-trajectory query --mode failed --cluster.',
    given: triedOnce(...two, 'premath issue add three'),
    ask: loop(failing),
    shows: /3 3 \S+ check_failed/,
  },
  {
    remedy: 'Show what it needs: premath issue show ….',
    given: [...two, 'premath dep add bd-1 bd-2', 'premath issue update bd-2 --status blocked'],
    ask: loop(`--work-cmd true ${verified}`),
    shows: /bd-2: two.*blocked/,
  },
  {
    remedy: 'Reopen it: premath issue update … --status open.',
    given: place => {
      triedOnce()(place)
      writing({ id: 'bd-1', title: 'one', status: 'closed', metadata: { premathFence: 1 } })(place)
    },
    ask: loop(`--work-cmd 'sh work.sh' ${verified} --retry-policy retry.json`),
    works: step(`--work-cmd true ${verified}`),
  },
  {
    remedy: 'every issue is closed; add more: premath issue add',
    given: one,
    ask: loop(`--work-cmd true ${verified}`),
    completes: { 'premath issue add': 'premath issue add two' },
    works: 'premath issue show bd-2',
  },
  {
    remedy: 'no issue can be claimed: premath issue list shows the open issues',
    given: [...one, 'premath issue update bd-1 --assignee ann'],
    ask: loop(`--work-cmd true ${verified}`),
    shows: /bd-1.*ann/,
  },
  {
    remedy: 'remove a dependency from the cycle: premath dep diagnostics',
    given: place => {
      place.run('premath init')
      const edge = (from: string, to: string) => ({
        id: from,
        title: from,
        status: 'open',
        dependencies: [{ issue_id: from, depends_on_id: to, type: 'blocks' }],
      })
      place.project.given(edge('bd-1', 'bd-2'), edge('bd-2', 'bd-1'))
    },
    ask: loop(`--work-cmd true ${verified}`),
    shows: /bd-1 -> bd-2 -> bd-1/,
  },
  {
    remedy:
      'See what failed: premath harness-kpi. Then premath harness-kpi remediate --reason <text>.',
    given: observed(lowKpi),
    ask: 'premath observe --mode needs_attention',
    completes: {
      'premath harness-kpi remediate --reason <text>':
        'premath harness-kpi remediate --reason mended',
    },
    shows: /check_failed|remediate/,
    works: 'premath observe-build',
  },
  {
    remedy: 'List them: premath harness-trajectory query.',
    given: observed(place => {
      place.run(...one)
      place.write('.premath/harness_trajectory.jsonl', '{bad\n')
    }),
    ask: 'premath observe --mode needs_attention',
    shows: /line 1: not readable/,
  },
  {
    remedy: 'See why: premath harness-session read --path ….',
    given: observed(place => {
      place.run(...one)
      place.write('.premath/harness_session.json', '{bad')
    }),
    ask: 'premath observe --mode needs_attention',
    exits: 2,
    shows: /not valid.*Correct the file, or move it away/,
  },
  {
    remedy:
      "Run with … … until steps pass again, or record what you fixed: premath harness-kpi remediate --reason '…'.",
    given: place => {
      place.run('git init -q -b main')
      lowKpi(place)
      place.run('git add -A', 'git commit -q -m begin')
    },
    ask: `premath harness-loop coordinator --create-worktrees 2 --work-cmd 'date > $PREMATH_ISSUE_ID' ${verified}`,
  },
]
