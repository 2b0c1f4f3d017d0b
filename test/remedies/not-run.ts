/** Remedies whose commands no row runs, by the reason. A new remedy belongs in a row. */
export const notRun: Readonly<Record<string, readonly string[]>> = {
  'It names a command, and tells nobody to run one.': [
    'The token that clients of premath observe-serve on other machines need.',
    '… is an issue, and premath verify takes paths of specs',
    'premath harness-kpi remediate --reason "pinned the flaky test runner"',
    'premath harness-kpi remediate',
    'premath harness-kpi',
    'premath harness-trajectory append',
    'premath harness-trajectory query',
    'premath clean removes ….\n',
    'premath uninit removes from …:\n……',
    'premath spec run',
    'error: arrow keys do not work here, and the entry is dropped\n  :history and :again <n> repeat an entry. rlwrap premath repl adds arrow keys.\n',
    'premath spec run …',
    'my-agent --prompt "$(premath prime)"',
    '// Settings of premath for this project. Flags and environment variables override them.\n// premath config show lists all settings and their values.\n{\n…}\n',
    '# Made by premath init: what belongs to this machine, or can be made again.\n…\n',
    'it does not call premath merge-driver',
  ],
  'It needs a process that changes the files between a close and its reading. src/harness/step/reread-close.test.ts leads there; rows of steps run both commands.':
    [
      'Somebody changed the files at that moment. Look at them: premath doctor, premath witness verify ….',
    ],
  'It needs a process that keeps a lock while a lease ends. src/harness/step/lease-renewer.test.ts leads there; test/remedies-steps.test.ts runs the command beside such a process.':
    ['Find the process that keeps issue memory locked: premath doctor.'],
  'Only the page of the failure classes prints it. The row of a step whose work was not sent runs both commands.':
    [
      'Pass --transport-cmd. The command must append the output of premath harness-relocation check --json.',
    ],
  'It needs a run beside a person who pauses it. test/run-requests.test.ts runs its command.': [
    'paused: no step starts until premath run --resume',
  ],
  'Another process must replace a file between its write and its read.': [
    'Run premath ci-required again.',
  ],
  'It needs a run that goes on meanwhile: test/harness-loop-coordinator.test.ts leads there, and test/run-requests.test.ts runs the commands.':
    [
      'The run starts no new step until premath run --resume. Running steps go on.',
      'A project has one run at a time. Wait until it ends. premath run --drain ends it after its running steps.',
    ],
  'Another process must hold a lock and let it go: test/uninit.test.ts runs the command again.': [
    'Stop that process, or wait for its end. Then run premath uninit again.',
  ],
  'test/doctor-git.test.ts and test/forward.test.ts run its commands.': [
    'Move it away: mv … …. If git has the file, git checkout -- … restores it. premath init makes what is missing then, and issue memory gets its acknowledged rows back.',
  ],
  'Its disk must be full beside git and nowhere else: src/store/file/file-issue-store.test.ts leads there. test/forward.test.ts runs the command where the record lacks the change.':
    [
      'the change is made, but premath could not note it beside git: …. A branch switch or a reset could take it back unseen\n  premath doctor says what to do.',
    ],
  'Another process must change the issues between the check and the removal of an edge; src/project/issues/issue-graph-fix.test.ts leads there.':
    ['Check again: premath issue-graph-check.'],
}
