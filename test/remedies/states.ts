/** Remedies in states that take some making. */
import { readFileSync, writeFileSync } from 'node:fs'
import { checksum } from '../../src/store/cache-file.ts'
import { open } from '../a-project.ts'
import { after, damaged, edited, marked, markRows, one, withoutMemory } from './doctor.ts'
import type { Place, Row } from './remedy.ts'

const spec = (...lines: readonly string[]) =>
  ['# A spec', '', '```yaml spec-test', ...lines, '```', ''].join('\n')

const passing = '# A\n\n```console\n$ true\n```\n'

const asserting = (assertion: string) =>
  spec(
    'id: A',
    'type: text.file',
    'assert:',
    `- {target: text, must: [{evaluate: [${assertion}]}]}`,
  )

const page = [
  'surface_id: greeting, output_mode: full_file, template_path: /hello.tpl',
  'data_sources: [{id: who, source_type: yaml_file, path: /who.yaml}]',
].join(', ')

/** A merge took one of two titles. */
const gaveWay = (place: Place) => {
  place.run('premath init')
  place.project.given(
    open('bd-1', {
      metadata: { premathMergeConflicts: [{ field: 'title', value: 'another' }] },
    }),
  )
}

const blocked = (count: number) => (place: Place) => {
  place.run('premath init')
  place.project.given(
    ...Array.from({ length: count }, (_, at) => open(`bd-${at + 1}`, { status: 'blocked' })),
  )
  place.run('premath observe-build')
}

/** The verdict that the last run of the checks leaves. */
const decide = (place: Place, decision: 'accept' | 'reject') =>
  place.write(
    'artifacts/ciwitness/latest-decision.json',
    JSON.stringify({
      schema: 1,
      decisionKind: 'ci.required.decision.v1',
      projectionPolicy: 'ci-topos-v0',
      projectionDigest: 'proj1_alpha',
      typedCoreProjectionDigest: 'ev1_alpha',
      decision,
      reasonClass: `verified_${decision}`,
      requiredChecks: [],
    }),
  )

export const stateRemedies: readonly Row[] = [
  {
    remedy:
      'Rows that git took out of issue memory may be missing in it. premath doctor --fix keeps the rows that can be read.',
    given: after(marked, edited(markRows, damaged), place =>
      place.run('git rm -q --cached .premath/issues.jsonl', 'touch .premath/issues.jsonl'),
    ),
    ask: 'premath issue list',
  },
  {
    remedy:
      'New issues would get ids that others have. git checkout --ignore-skip-worktree-bits HEAD -- … brings the rows back.',
    given: after(marked, ...withoutMemory),
    ask: 'premath issue add two',
    printed: /git checkout --ignore-skip-worktree-bits HEAD -- '.*?' brings/,
  },
  {
    remedy: 'Look at premath issue show …, and then ….',
    given: gaveWay,
    ask: 'premath doctor',
    printed: /Look at premath issue show bd-1, and then premath issue update .*?\./,
  },
  {
    remedy: 'premath issue update … --acknowledge-merge…',
    given: after([], gaveWay, place => place.run('premath issue claim bd-1 --assignee ann')),
    ask: 'premath issue show bd-1',
    printed: /premath issue update bd-1 --acknowledge-merge --lease-id \S+ --fence \d+/,
    works: 'premath doctor',
  },
  {
    remedy: '`premath issue show <id>` shows the values, and the command that acknowledges them.',
    given: after([], gaveWay),
    ask: 'premath prime',
    completes: { 'premath issue show <id>': 'premath issue show bd-1' },
    shows: /premath issue update bd-1 --acknowledge-merge/,
  },
  {
    remedy: 'premath doctor says what to do.',
    given: after(
      [...one, 'premath issue add two'],
      edited('.premath/memory/events.jsonl', text =>
        text.replaceAll('"title":"two"', '"title":"2"'),
      ),
    ),
    ask: 'premath issue add three',
    shows: /premath issue migrate-events/,
  },
  {
    remedy: 'Fix the specs first: premath spec lint ….',
    given: place => {
      place.run('premath init')
      place.write('the specs/a.spec.md', spec('id: a', 'type: nothing.known'))
      place.run("premath issue add one --spec 'the specs/a.spec.md'")
    },
    ask: 'premath harness-boot',
    shows: /nothing\.known/,
  },
  {
    remedy:
      "Find out what changed it. To continue without it: premath harness-session write --path … --witness-ref ''.",
    given: place => {
      place.run(
        ...one,
        "premath harness-step --worker w --work-cmd true --verify-cmd 'test -d .premath'",
        'premath harness-stop',
      )
      place.write('artifacts/steps/w.bd-1.1.1/record.json', '{}')
    },
    ask: 'premath harness-boot',
  },
  {
    remedy: 'Run premath spec list to see its ids.',
    given: place =>
      place.write(
        'a.spec.md',
        spec(
          'id: A',
          'type: text.file',
          "harness: {chain: {steps: [{id: s, ref: '#quite-another'}]}}",
        ),
      ),
    ask: 'premath spec lint a.spec.md',
    shows: /\bA\b/,
  },
  {
    remedy: 'The assertion fails when it is evaluated. To see the values: premath spec explain ….',
    given: place => place.write('a.spec.md', asserting('{nope: [{var: subject}]}')),
    ask: 'premath spec lint a.spec.md',
    shows: /nope/,
  },
  {
    remedy: 'Compare it with a possible value. To see the values: premath spec explain ….',
    given: place => place.write('a.spec.md', asserting('{lt: [{len: [{var: subject}]}, 0]}')),
    ask: 'premath spec lint a.spec.md',
    shows: /len/,
  },
  {
    remedy:
      'note: … is a git repository below the project …\n  To set up a project of its own: premath init .',
    given: place => {
      place.run('premath init', 'git init -q other')
      place.cwd = place.at('other')
    },
    ask: 'premath init',
    completes: { 'premath init': 'premath init .' },
    works: 'test -d .premath',
  },
  {
    remedy: 'premath doctor --fix removes it. The next command builds it again.',
    given: staleCache,
    ask: 'premath doctor',
  },
  {
    remedy: 'Remove it: premath doctor --fix. Then run the command again.',
    given: staleCache,
    ask: 'premath issue list',
  },
  {
    remedy: 'Copy it into the project, and name it there: premath issue update … --spec <file>.',
    given: place => {
      place.run('premath init')
      for (const path of ['../a.spec.md', 'a.spec.md']) place.write(path, passing)
      place.run('premath issue add one --spec ../a.spec.md')
    },
    ask: 'premath issue update bd-1 --status closed --verify',
    completes: {
      'premath issue update bd-1 --spec <file>': 'premath issue update bd-1 --spec a.spec.md',
    },
  },
  {
    remedy: 'premath witness export writes it again.',
    given: after(
      [
        ...one,
        "premath close bd-1 --verify-cmd 'test -d .premath'",
        'premath witness export bd-1 --output p.json',
      ],
      edited('p.json', text => text.replace('"issueId":', '"issueId" :')),
    ),
    ask: 'premath witness verify p.json',
    completes: { 'premath witness export': 'premath witness export bd-1 --output p.json' },
  },
  {
    remedy: 'See it: premath observe --mode needs_attention.',
    given: blocked(1),
    ask: 'premath harness-boot',
    shows: /bd-1/,
  },
  {
    remedy: 'Fix the cause and run the checks again. premath observe-build then clears this.',
    given: place => {
      place.run(...one)
      decide(place, 'reject')
      place.run('premath observe-build')
      decide(place, 'accept')
    },
    ask: 'premath observe --mode needs_attention',
    shows: /Needs attention: no/,
  },
  {
    remedy: 'See the whole surface: premath observe --json.',
    given: after(
      [...one, 'premath observe-build'],
      edited('artifacts/observation/latest.json', text =>
        text.replace('"attentionReasons": []', '"attentionReasons": ["of_a_newer_version"]'),
      ),
    ),
    ask: 'premath observe --mode needs_attention',
    shows: /of_a_newer_version/,
  },
  {
    remedy: 'and … more: premath observe --mode needs_attention --json',
    given: blocked(12),
    ask: 'premath observe',
    shows: /"bd-12"/,
  },
  {
    remedy: '; premath spec run --write rewrites it',
    given: place => {
      place.write('hello.tpl', 'Hello {{who.name}}!\n')
      place.write('who.yaml', 'name: Ada\n')
      place.write('hello.md', 'Hello!\n')
      place.write(
        'docs/spec/schema/docs_generator_registry_v1.yaml',
        `version: 1\nsurfaces: [{${page}, outputs: [/hello.md]}]\n`,
      )
      const writes = `harness: {docs_generate: {${page}, mode: write, output_path: /hello.md}}`
      place.write('a.spec.md', spec('id: HELLO', 'type: docs.generate', writes))
    },
    ask: 'premath spec run',
  },
  {
    remedy: 'Run premath witness keygen to make a key pair.',
    given: after([...one, "premath close bd-1 --verify-cmd 'test -d .premath'"], place => {
      place.write('k.pem', 'not a key\n')
      place.run('chmod 600 k.pem')
    }),
    ask: 'premath witness export bd-1 --attest --key k.pem',
    completes: { 'premath witness keygen': 'premath witness keygen --key own.pem' },
    works: 'premath witness export bd-1 --attest --key own.pem',
  },
]

/** The index of earlier rows, with a note that it fits the present rows. */
function staleCache(place: Place): void {
  place.run('premath init')
  const rows = Array.from({ length: 900 }, (_, at) =>
    open(`bd-${at + 100}`, { description: 'x'.repeat(200) }),
  )
  const index = place.at('.premath/cache/issues.index')
  const note = place.at('.premath/cache/issues.state')
  const listed = (given: readonly object[]) => {
    place.project.given(...given)
    place.run('premath list')
    const [, indexed = '', ...state] = readFileSync(note, 'utf8').trimEnd().split(' ')
    return { bytes: readFileSync(index), indexed, state: state.join(' ') }
  }
  const [before, now] = [listed(rows), listed(rows.toReversed())]
  const text = `${before.indexed} ${now.state}`
  const line = `${checksum(new TextEncoder().encode(text))} ${text}`
  writeFileSync(index, before.bytes)
  writeFileSync(note, `${line.padEnd(255)}\n`)
}
