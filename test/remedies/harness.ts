/** Remedies about steps, specs, observations and worktrees. */
import { leased, open } from '../a-project.ts'
import type { Row } from './remedy.ts'

const one = ['premath init', 'premath issue add one']
const repository = ['git init -q -b main', ...one, 'git add -A', 'git commit -q -m begin']
const step = (id: string, work: string, more = '') =>
  `premath harness-step --issue ${id} --worker w --work-cmd '${work}' --verify-cmd 'test -d .premath' ${more}`
const edge = (from: string, to: string) => ({ issue_id: from, depends_on_id: to, type: 'blocks' })

const session = 'premath harness-session write --state active --issue-id bd-1'

const spec = (body: string) => `# A spec\n\n\`\`\`console\n${body}\n\`\`\`\n`

export const harnessRemedies: readonly Row[] = [
  {
    remedy: '- `premath issue ready`: list ready issues',
    given: one,
    ask: 'premath prime',
    shows: /bd-1/,
  },
  {
    remedy: '- `premath issue claim-next --assignee <you> --json`: claim the first one',
    given: one,
    ask: 'premath prime',
    completes: {
      'premath issue claim-next --assignee <you> --json':
        'premath issue claim-next --assignee ann --json',
    },
    works: 'premath issue lease-renew bd-1 --assignee ann --lease-id lease1_bd-1_ann --fence 1',
  },
  {
    remedy: '- `premath issue show <id>`: show an issue',
    given: one,
    ask: 'premath prime',
    completes: { 'premath issue show <id>': 'premath issue show bd-1' },
    shows: /one/,
  },
  {
    remedy: '- `premath issue show …`: show the issue',
    given: [...one, 'premath issue claim bd-1 --assignee ann', session],
    ask: 'premath prime',
    shows: /one/,
  },
  {
    remedy:
      'find the cause: premath issue show …; then reopen it: premath issue update … --status open',
    given: one,
    ask: step('bd-1', 'exit 1'),
    works: step('bd-1', 'true'),
  },
  {
    remedy: 'premath spec list shows the cases there are.',
    given: place => place.write('a.spec.md', spec('$ true')),
    ask: 'premath spec explain nothing a.spec.md',
    completes: { 'premath spec list': 'premath spec list a.spec.md' },
    shows: /a\.spec\.md|A spec/,
  },
  {
    remedy: 'premath spec list shows ids, titles and tags.',
    given: place => place.write('a.spec.md', spec('$ true')),
    ask: 'premath spec run a.spec.md --tag nothing',
    completes: { 'premath spec list': 'premath spec list a.spec.md' },
    shows: /a\.spec\.md|A spec/,
  },
  {
    remedy: 'Nothing was checked: there is no case. premath spec create makes one.',
    given: place => place.write('a.spec.md', '# Empty\n'),
    ask: 'premath spec run a.spec.md',
    completes: { 'premath spec create': 'premath spec create -- node --version' },
    shows: /node --version/,
  },
  {
    remedy: 'Build it again: premath observe-build.',
    given: place => {
      place.run(...one, 'premath observe-build')
      place.write('artifacts/observation/latest.json', '{}')
    },
    ask: 'premath observe',
  },
  {
    remedy: 'premath observe --json shows the latest of both.',
    given: [...one, 'premath observe-build'],
    ask: 'premath observe --mode instruction',
    shows: /surface|latest/i,
  },
  {
    remedy: 'See who holds each: premath issue lease-projection.',
    given: place => {
      place.run('premath init')
      place.project.given(leased('bd-1', 'ann', 600, { status: 'open', assignee: 'bob' }))
      place.ask('premath observe-build')
    },
    ask: 'premath observe --mode needs_attention',
    shows: /ann/,
  },
  {
    remedy: 'Remove one dependency of the cycle: premath dep remove.',
    given: place => {
      place.run('premath init')
      place.project.given(
        open('bd-1', { dependencies: [edge('bd-1', 'bd-2')] }),
        open('bd-2', { dependencies: [edge('bd-2', 'bd-1')] }),
      )
      place.ask('premath observe-build')
    },
    ask: 'premath observe --mode needs_attention',
    completes: { 'premath dep remove': 'premath dep remove bd-1 bd-2' },
    works: 'premath dep diagnostics',
  },
  {
    remedy: 'Remove a dependency: premath dep remove … ….',
    given: place => {
      place.run('premath init')
      place.project.given(
        open('bd-1', { dependencies: [edge('bd-1', 'bd-2')] }),
        open('bd-2', { dependencies: [edge('bd-2', 'bd-1')] }),
      )
    },
    ask: 'premath harness-boot',
  },
  {
    remedy: 'List the problems: premath harness-feature check.',
    given: place => {
      place.run(...one)
      place.write(
        '.premath/harness_feature_ledger.json',
        JSON.stringify({
          schema: 1,
          ledgerKind: 'premath.harness.feature_ledger.v1',
          updatedAt: '2026-01-01T00:00:00Z',
          features: [{ featureId: 'f', status: 'completed', updatedAt: '2026-01-01T00:00:00Z' }],
        }),
      )
    },
    ask: 'premath harness-boot',
    shows: /f/,
  },
  {
    remedy:
      "For example: --work-cmd 'make fix'. To set it for the project: premath config set work 'make fix'.",
    given: one,
    ask: 'premath harness-step',
    completes: { "premath config set work 'make fix'": "premath config set work 'true'" },
    works: "premath harness-step --verify-cmd 'test -d .premath'",
  },
  {
    remedy:
      "For example: --verify-cmd 'make test', --verify-spec specs or --verify-required. To set it for the project: premath config set verify 'make test'.",
    given: one,
    ask: "premath harness-step --work-cmd 'true'",
    completes: {
      "premath config set verify 'make test'": "premath config set verify 'test -d .premath'",
    },
  },
  {
    remedy: 'premath witness keygen makes one.',
    given: [
      'premath init',
      'premath issue add one',
      "premath close bd-1 --verify-cmd 'test -d .premath'",
    ],
    ask: 'premath witness export bd-1 --attest --key k.pem',
    completes: { 'premath witness keygen': 'premath witness keygen --key k.pem' },
  },
  {
    remedy: 'premath witness keygen leaves one beside the private key.',
    given: one,
    ask: 'premath trust add k.pub.pem --role harness',
    completes: { 'premath witness keygen': 'premath witness keygen --key k.pem' },
    works: 'test -f k.pub.pem',
  },
  {
    remedy: 'See `premath schema premath.harness.turn_evidence.v1` for the shape.',
    given: place => place.write('turn.json', '{"a":1}'),
    ask: 'premath harness-join-check --input turn.json',
    shows: /\$schema/,
  },
  {
    remedy: 'Pass the path of a worktree. List them with git worktree list.',
    given: repository,
    ask: "premath harness-loop coordinator --worktree '' --work-cmd true --verify-cmd true",
    shows: /main/,
  },
  {
    remedy: '- `premath issue update … --notes-file -…`: record findings',
    given: [...one, 'premath issue claim bd-1 --assignee ann', session],
    ask: 'premath prime',
    shows: /bd-1/,
  },
  {
    remedy: '- `premath issue discover … "<title>"…`: add new work',
    given: [...one, 'premath issue claim bd-1 --assignee ann', session],
    ask: 'premath prime',
    completes: {
      'premath issue discover bd-1 "<title>" --lease-id lease1_bd-1_ann --fence 1':
        'premath issue discover bd-1 "two" --lease-id lease1_bd-1_ann --fence 1',
    },
    works: 'premath issue show bd-2',
  },
]
