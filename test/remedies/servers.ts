/** Remedies about servers, terminals and other processes. */
import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { letScriptsOverride } from '../at-a-terminal.ts'
import { main } from '../built-command.ts'
import { after, one, repository } from './doctor.ts'
import type { Place, Row } from './remedy.ts'

const serve = 'premath resident serve --idle-seconds 0'

/** The resident process of the project, as another command or person started it. */
function withResident(place: Place): void {
  place.run(...one)
  const child = spawn(process.execPath, [main, 'resident', 'serve'], {
    cwd: place.project.folder,
    env: { ...place.project.env, ...place.env },
    stdio: 'ignore',
  })
  onTestFinished(() => {
    child.kill()
  })
  const wait = new Int32Array(new SharedArrayBuffer(4))
  const runs = () => /Process \d+ runs/.test(place.ask('premath resident status').printed)
  // If it never runs, the row fails by what it prints.
  for (let looks = 0; looks < 2000 && !runs(); looks++) Atomics.wait(wait, 0, 0, 20)
}

const trusted = (place: Place) => {
  place.run(...one, 'premath witness keygen --key own.pem')
  letScriptsOverride(place.project.folder)
  place.run('premath trust add own.pub.pem --role harness')
}

/** A clone that has the last commit alone, and lacks the one that closed an issue. */
const shallow = (place: Place) => {
  place.run(...repository, 'premath issue add one')
  place.write('work.txt', 'x')
  place.run(
    'git add work.txt',
    'git commit -q -m work',
    'premath land bd-1 --as HEAD --verify-cmd "test -f work.txt"',
    'git add -A',
    'git commit -q --allow-empty -m more',
    'git clone -q --depth 1 "file://$PWD" clone',
  )
  place.cwd = place.at('clone')
}

const program = 'premath scheme-eval --program triage.scm --json > recorded.json'

export const serverRemedies: readonly Row[] = [
  {
    remedy: 'Run premath init, or change to the folder of a project.',
    given: [],
    ask: serve,
    works: 'premath issue ready',
  },
  {
    remedy: 'Turn it on: premath config set residentMemory on.',
    given: [...one, 'premath config set residentMemory off'],
    ask: serve,
    completes: {
      'premath config set residentMemory': 'premath config set residentMemory on',
    },
  },
  {
    remedy: 'Nothing was started. To end it, run premath resident stop.',
    given: withResident,
    ask: serve,
  },
  {
    remedy: 'premath policy show prints its digest.',
    given: after(one, place => place.write('triage.scm', '(issue.comment :id "bd-1" :text "x")')),
    ask: 'premath scheme-eval --program triage.scm --policy-digest sha256:00',
    shows: /policy sha256:[0-9a-f]{64}/,
  },
  {
    remedy: 'Start one with premath run. Ctrl-C stops a single worker.',
    given: repository,
    ask: 'premath run --pause',
    shows: /Run ended/,
    completes: { 'premath run': "premath run --work-cmd true --verify-cmd 'test -d .premath'" },
  },
  {
    remedy: 'Record one: premath scheme-eval --program <program> --json > <file>.',
    given: after(one, place => {
      place.write('triage.scm', '(issue.ready)')
      place.write('recorded.json', '{}')
    }),
    ask: 'premath scheme-eval --program triage.scm --replay recorded.json',
    completes: { 'premath scheme-eval --program <program> --json > <file>': program },
  },
  {
    remedy: 'Remove it first: premath trust remove ….',
    given: trusted,
    ask: 'premath trust add own.pub.pem --role ci',
  },
  {
    remedy:
      'Restore it: git checkout -- …. Without git, move it away. premath trust add makes a new one.',
    given: after(['git init -q -b main'], trusted, place => {
      place.run('git add -A', 'git commit -q -m begin')
      place.write('.premath/trust.json', '[]')
    }),
    ask: 'premath trust list',
    completes: { 'premath trust add': 'mv .premath/trust.json elsewhere.json' },
  },
  {
    remedy: 'Name a file that premath trust add wrote.',
    given: after([], trusted, place => {
      place.run("premath close bd-1 --verify-cmd 'test -d .premath'")
      place.write('keys.json', '[]')
    }),
    ask: 'premath witness verify bd-1 --trust keys.json',
    completes: { 'premath trust add': 'premath trust add own.pub.pem --role harness' },
    works: 'premath witness verify bd-1 --trust .premath/trust.json',
  },
  {
    remedy: ': this clone is shallow, and git fetch --unshallow completes it',
    given: shallow,
    ask: "premath witness verify bd-1 --rerun --sandbox off --verify-cmd 'test -f work.txt'",
  },
]
