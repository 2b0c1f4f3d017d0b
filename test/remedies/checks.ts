/** Remedies about findings of checks. */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { open } from '../a-project.ts'
import { promotionOf } from '../a-promotion.ts'
import { writeScriptPolicy } from '../at-a-terminal.ts'
import { after, digestOf, edited, governed, ledger, one, policySet, repository } from './doctor.ts'
import type { Place, Row } from './remedy.ts'

const hygiene = 'premath ci-hygiene-check'
const docs = 'premath docs-coherence-check'
const coherence = 'premath coherence-check'

const session = '.premath/harness_session.json'
const features = '.premath/harness_feature_ledger.json'
const trajectory = '.premath/harness_trajectory.jsonl'

const page = (text: string) => (place: Place) => {
  place.run('premath init')
  place.write('README.md', `${text}\n`)
}
const active = (more: string) => [
  ...one,
  `premath harness-session write --state active --issue-id bd-1 ${more}`,
]

/** An issue that a step closed, so that the records have a step. */
const stepped = [
  ...one,
  "premath harness-step --issue bd-1 --worker w --work-cmd true --verify-cmd 'test -d .premath'",
]

const row = (row: object) => (place: Place) => {
  place.run(...one)
  const document = JSON.parse(ledger('pending'))
  const features_ = document.features.map((feature: object) => ({ ...feature, ...row }))
  place.write(features, JSON.stringify({ ...document, features: features_ }))
}

/** The required checks of a project, and the commands of each. */
const required = (checks: object) =>
  JSON.stringify({
    schema: 1,
    requiredChecksKind: 'premath.required_checks.v1',
    projectionPolicy: 'test-v1',
    order: ['lint'],
    baseline: ['lint'],
    docs: { paths: ['**/*.md'] },
    rules: [],
    checks,
  })
const checks = { schema: 1, checksKind: 'premath.checks.v1', checks: { lint: 'true' } }

/** A key of fixed bytes, so that a row can name it. */
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${'00'.repeat(32)}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
})
const keyId = '339e2ff91763'

function withKey(place: Place): void {
  place.run('git init -q -b main', 'premath init')
  writeScriptPolicy(place.project.folder)
  place.write('k.pem', privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
  const publicKey = createPublicKey(privateKey)
  place.write('k.pub.pem', publicKey.export({ format: 'pem', type: 'spki' }).toString())
  place.run('git add -A', 'git commit -q -m begin', 'premath trust add k.pub.pem --role harness')
}
const verifyRequired =
  'premath harness-step --issue bd-1 --worker w --work-cmd true --verify-required'

export const checkRemedies: readonly Row[] = [
  {
    remedy: 'Correct the name; premath schema lists all kinds.',
    given: page('It is `premath.zzzzzzzzzzzzzzzzzzzzzz.v9`.'),
    ask: docs,
    shows: /premath\.checks\.v1/,
  },
  {
    remedy: 'Did you mean …? premath schema lists all kinds.',
    given: page('It is `premath.coherance.v1`.'),
    ask: docs,
    shows: /premath\.coherence\.v1/,
  },
  {
    remedy: 'Correct the path, or write the document: premath spec create.',
    given: page('See `none.spec.md`.'),
    ask: docs,
    completes: {
      'premath spec create': 'premath spec create --into none.spec.md -- node --version',
    },
  },
  {
    remedy: 'Run git rm --cached on it; or, to share it, take the line out of .gitignore.',
    given: after(
      repository,
      place => place.write('artifacts/ciwitness/x.json', '{}'),
      place => place.write('.gitignore', 'artifacts/\n'),
      place => place.run('git add -f artifacts/ciwitness/x.json'),
    ),
    ask: hygiene,
    completes: { 'git rm --cached': 'git rm -q --cached artifacts/ciwitness/x.json' },
  },
  {
    remedy:
      'Remove it from the history, and make a new key. If premath trust list names the old one, withdraw it: premath trust remove <key id>.',
    given: withKey,
    ask: hygiene,
    completes: { 'premath trust remove <key id>': `premath trust remove ${keyId}` },
    shows: new RegExp(keyId),
  },
  {
    remedy:
      'premath issue update <id> --spec <path> names a spec, and --acceptance <text> states a goal, with its command in back-quotes. premath issue check lists all errors.',
    given: after(one, place => place.write('a.spec.md', '# A\n')),
    ask: hygiene,
    leaves: { 'premath issue check': 'The next row runs it: it mends nothing.' },
    completes: {
      'premath issue update <id> --spec <path>': 'premath issue update bd-1 --spec a.spec.md',
    },
  },
  {
    remedy:
      'premath issue update <id> --spec <path> names a spec, and --acceptance <text> states a goal, with its command in back-quotes. premath issue check lists all errors.',
    given: one,
    ask: hygiene,
    leaves: { 'premath issue update <id> --spec <path>': 'The row before this one runs it.' },
    shows: /bd-1 issue_graph.acceptance.missing/,
  },
  {
    remedy: 'Change its type, or its title: premath issue update … --type epic.',
    given: [
      'premath init',
      "premath issue add '[EPIC] A' --acceptance 'It works.' --description '`npm test`'",
    ],
    ask: hygiene,
  },
  {
    remedy: 'Remove one dependency of the path: premath dep remove <id> <id>.',
    given: place => {
      place.run('premath init')
      const blocks = (id: string, other: string) =>
        open(id, {
          acceptance_criteria: '`npm test`',
          dependencies: [{ issue_id: id, depends_on_id: other, type: 'blocks' }],
        })
      place.project.given(blocks('bd-1', 'bd-2'), blocks('bd-2', 'bd-1'))
    },
    ask: hygiene,
    completes: { 'premath dep remove <id> <id>': 'premath dep remove bd-1 bd-2' },
  },
  {
    remedy: 'premath issue-graph-check --fix removes it.',
    given: [
      'premath init',
      "premath issue add a --acceptance '`npm test`'",
      "premath issue add b --acceptance '`npm test`'",
      "premath issue add c --acceptance '`npm test`'",
      'premath dep add bd-1 bd-2',
      'premath dep add bd-2 bd-3',
      'premath dep add bd-1 bd-3',
    ],
    ask: hygiene,
  },
  {
    remedy: 'Write the document, or name another: premath issue update --spec.',
    given: after(
      one,
      place => place.write('a.spec.md', '# A\n'),
      place => place.write('b.spec.md', '# B\n'),
      place => place.run('premath issue update bd-1 --spec a.spec.md', 'rm a.spec.md'),
    ),
    ask: coherence,
    completes: {
      'premath issue update --spec': 'premath issue update bd-1 --spec b.spec.md',
    },
  },
  {
    remedy: 'premath witness verify --all lists everything. Restore the file from version control.',
    given: after([...one, "premath close bd-1 --verify-cmd 'test -d .premath'"], place => {
      const [name = ''] = readdirSync(place.at('.premath/proofs/bd-1'))
      edited(`.premath/proofs/bd-1/${name}`, text => text.replace('"bd-1"', '"bd-9"'))(place)
    }),
    ask: coherence,
    shows: /bd-1.*proof-/,
  },
  {
    remedy: 'Correct the file, or move it away: premath harness-session write makes a new one.',
    given: after(one, place => place.write(session, '{')),
    ask: coherence,
    completes: {
      'premath harness-session write': [`rm ${session}`, 'premath harness-session write'],
    },
  },
  {
    remedy: "Name its issue, or none: premath harness-session write --state … --issue-id ''.",
    given: after(
      active(''),
      edited(session, text => text.replace('"issueId": "bd-1"', '"issueId": "bd-7"')),
    ),
    ask: coherence,
  },
  {
    remedy:
      "Restore what it names, or remove all witness refs: premath harness-session write --state … --witness-ref ''.",
    given: active('--witness-ref artifacts/none.json'),
    ask: coherence,
  },
  {
    remedy: 'Write the session again: premath harness-session write --state <state>.',
    given: after(
      active(''),
      edited(session, text => text.replace(/iss1_[0-9a-f]+/, `iss1_${'0'.repeat(64)}`)),
    ),
    ask: coherence,
    completes: {
      'premath harness-session write --state <state>':
        'premath harness-session write --state active',
    },
  },
  {
    remedy: 'Correct the file, or move it away: premath harness-feature write makes a new one.',
    given: after(one, place => place.write(features, '{')),
    ask: coherence,
    completes: {
      'premath harness-feature write': [
        `rm ${features}`,
        'premath harness-feature write --feature-id f --status pending',
      ],
    },
  },
  {
    remedy: 'Write the row again: premath harness-feature write --feature-id … --status <status>.',
    given: row({ status: 'completed' }),
    ask: coherence,
    completes: {
      'premath harness-feature write --feature-id f --status <status>':
        'premath harness-feature write --feature-id f --status pending',
    },
  },
  {
    remedy: "Name its issue, or none: premath harness-feature write … --issue-id ''.",
    given: row({ issueId: 'bd-7' }),
    ask: coherence,
  },
  {
    remedy:
      'Restore what it names, or name another: premath harness-feature write … --verification-ref <ref>.',
    given: row({ status: 'completed', verificationRefs: ['artifacts/none.json'] }),
    ask: coherence,
    completes: {
      'premath harness-feature write --feature-id f --status completed --verification-ref <ref>':
        'premath harness-feature write --feature-id f --status completed --verification-ref .premath/policy.json',
    },
  },
  {
    remedy:
      'Compare the row with the attempts on the issue: premath log <issue>. Then restore or remove it.',
    given: after(
      stepped,
      edited(trajectory, text => text.replace(/(lease:[^"]*)[0-9a-f]{4}"/, '$10000"')),
    ),
    ask: coherence,
    completes: { 'premath log <issue>': 'premath log bd-1' },
    shows: /bd-1 closed w/,
  },
  {
    remedy:
      'See `premath schema premath.conformance.vector_case.v1`, …vector_expect.v1 and …vector_file.v1.',
    given: place => {
      place.write('v/case.json', '{}')
      place.write('v/expect.json', '{}')
    },
    ask: 'premath conformance run v',
    shows: /\$schema/,
  },
  {
    remedy: 'Nothing was run. Fix the file; premath schema premath.checks.v1 prints its schema.',
    given: after(
      one,
      place => place.write('.premath/required-checks.json', required({ lint: {} })),
      place => place.write('.premath/checks.json', '{"a":1}'),
    ),
    ask: 'premath ci-required --changed-file a.ts',
    shows: /\$schema/,
  },
  {
    remedy:
      'move it to .premath/checks.json, and put that in force: premath policy set --input .premath/checks.json --promotion <evidence> --reason <why>',
    given: place => {
      place.run(...policySet)
      place.write('.premath/required-checks.json', required({ lint: { command: 'true' } }))
      place.write('.premath/capability-registry.json', JSON.stringify(governed))
      place.write('evidence.json', JSON.stringify(promotionOf(digestOf(checks))))
      place.write('required.json', required({ lint: {} }))
    },
    ask: 'premath ci-required --changed-file a.ts',
    completes: {
      'premath policy set --input .premath/checks.json --promotion <evidence> --reason <why>': [
        'mv required.json .premath/required-checks.json',
        `echo '${JSON.stringify(checks)}' > .premath/checks.json`,
        'premath policy set --input .premath/checks.json --promotion evidence.json --reason x',
      ],
    },
  },
  {
    remedy:
      'Nothing was claimed. Commit the file on …, which judges the work; premath schema premath.required_checks.v1 prints its schema.',
    given: after([...repository, 'premath issue add one'], place =>
      place.write('.premath/required-checks.json', required({ lint: { command: 'true' } })),
    ),
    ask: verifyRequired,
    shows: /\$schema/,
  },
  {
    remedy:
      'Nothing was claimed. premath schema premath.required_checks.v1 prints the schema of the file.',
    given: one,
    ask: verifyRequired,
    shows: /\$schema/,
  },
]
