/** Remedies about instructions, turns and policies. */
import { renameSync, rmSync } from 'node:fs'
import { promotionOf } from '../a-promotion.ts'
import { checked, proposal, runtimeOf, testPolicy } from '../an-instruction.ts'
import { id, instructionPath, witnessPath } from '../an-instruction-project.ts'
import { main } from '../built-command.ts'
import * as door from '../mutation-surfaces.ts'
import { after, digestOf, edited, governed, one, repository } from './doctor.ts'
import type { Place, Row } from './remedy.ts'

const json = (path: string, document: object) => (place: Place) =>
  place.write(path, JSON.stringify(document))

/** A project whose policy lets agents act under an instruction alone. */
function instructed(place: Place): void {
  place.run(...one)
  json('policies/instruction/test-v1.json', testPolicy)(place)
  json('.premath/checks.json', door.checks)(place)
  json('.premath/policy.json', door.policy)(place)
  json(instructionPath, door.instruction)(place)
}
const run = `premath instruction-run --instruction ${instructionPath}`
const check = `premath instruction-check --instruction ${instructionPath}`
const under = `--instruction ${id}`
const claim = `premath issue claim bd-1 --assignee agent ${under}`
const accepted = (place: Place) => {
  instructed(place)
  place.run(run)
}

/** The agent holds the issue, and has a turn that asks for a change of it. */
const claimed = (place: Place) => {
  accepted(place)
  place.run(claim, ...door.turnContext.map(words => ['premath', ...words].join(' ')))
  const { stdout } = place.project.premath(['prime', '--json'])
  json('turn.json', door.closingTurn(JSON.parse(stdout).mutationPolicyDigest))(place)
}
const update = `premath issue update bd-1 --title Two ${under} --lease-id lease1_bd-1_agent --fence 1`
const judge = `premath harness-join-check --input turn.json --write-witness ${under}`

const commitAll = ['git add --all && git commit -q -m begin', 'touch work']
const commitSettings = 'git commit -q -m settings .premath'

const agentClose = 'CLAUDECODE=1 premath close bd-1'

export const instructionRemedies: readonly Row[] = [
  {
    remedy: 'premath harness-join-check --input <turn> --write-witness --instruction … makes one.',
    given: claimed,
    ask: update,
    completes: { [judge.replace('turn.json', '<turn>')]: judge },
  },
  {
    remedy:
      'premath harness-join-check --input <turn> --write-witness --instruction <id> makes the witness of a turn.',
    given: place => {
      claimed(place)
      place.run(judge)
      rmSync(place.at('artifacts/ciwitness/join'), { recursive: true })
    },
    ask: update,
    completes: {
      'premath harness-join-check --input <turn> --write-witness --instruction <id>': judge,
    },
  },
  {
    remedy: 'Run the instruction again: premath instruction-run --instruction ….',
    given: after(
      [],
      accepted,
      edited(witnessPath, text => text.replace('"passed"', '"failed"')),
    ),
    ask: claim,
  },
  {
    remedy: 'premath instruction-run --instruction instructions/….json makes one.',
    given: instructed,
    ask: claim,
  },
  {
    remedy: 'premath instruction-run --instruction instructions/….json makes one.',
    given: after([], instructed, json('turn.json', door.closingTurn('sha256:one'))),
    ask: judge,
  },
  {
    remedy:
      'Put the instruction back, or run it where it lies now: premath instruction-run --instruction <file>.',
    given: after([], accepted, place => {
      place.run('mkdir elsewhere')
      renameSync(place.at(instructionPath), place.at(`elsewhere/${id}.json`))
    }),
    ask: claim,
    completes: {
      'premath instruction-run --instruction <file>': `premath instruction-run --instruction elsewhere/${id}.json`,
    },
  },
  {
    remedy: 'Run it again with the checks in force: premath instruction-run --instruction …. …',
    given: place => {
      instructed(place)
      json('.premath/checks.json', { ...door.checks, checks: { 'hk-check': 'exit 0' } })(place)
      place.run(run)
      json('.premath/capability-registry.json', governed)(place)
      for (const document of [door.policy, door.checks]) {
        json('new.json', document)(place)
        json('evidence.json', promotionOf(digestOf(document)))(place)
        place.run('premath policy set --input new.json --promotion evidence.json --reason x')
      }
    },
    ask: claim,
  },
  {
    remedy: 'premath instruction-check --instruction … says how to correct it.',
    given: after(
      [],
      instructed,
      json(instructionPath, { ...door.instruction, normalizerId: 'x' }),
      json('correct.json', door.instruction),
    ),
    ask: 'premath doctrine-check',
    completes: {
      [check]: [`mv correct.json ${instructionPath}`, check],
    },
  },
  {
    remedy: 'Leave the member out, or give the ref that premath proposal-check prints.',
    given: after(
      [],
      json('p.json', { ...proposal, proposalKcirRef: 'kcir1_x' }),
      json('without.json', proposal),
    ),
    ask: 'premath proposal-check --proposal p.json',
    completes: { 'premath proposal-check': 'premath proposal-check --proposal without.json' },
    shows: /kcir1_[0-9a-f]{64}/,
  },
  {
    remedy: 'Leave the member out, or give the digest that premath proposal-check prints.',
    given: after(
      [],
      json('p.json', { ...proposal, proposalDigest: 'prop1_x' }),
      json('without.json', proposal),
    ),
    ask: 'premath proposal-check --proposal p.json',
    completes: { 'premath proposal-check': 'premath proposal-check --proposal without.json' },
    shows: /prop1_[0-9a-f]{64}/,
  },
  {
    remedy:
      'Write or fix .premath/required-checks.json; premath schema premath.required_checks.v1 prints its schema.',
    given: one,
    ask: 'premath ci-required',
    shows: /\$schema/,
  },
  {
    remedy:
      'Correct the named field; `premath schema premath.harness.turn_evidence.v1` prints the contract of every row.',
    given: json('turn.json', { evidence: { callSpec: { callId: 7 } } }),
    ask: 'premath harness-join-check --input turn.json',
    shows: /"toolRequests"/,
  },
  {
    remedy:
      'Unset PREMATH_SQUEAK_SITE_PROFILE, or run them there and use premath instruction-witness.',
    given: after([], instructed, json('run.json', runtimeOf(checked(door.instruction)))),
    ask: `PREMATH_SQUEAK_SITE_PROFILE=external ${run}`,
    completes: {
      'premath instruction-witness': `premath instruction-witness --instruction ${instructionPath} --runtime run.json`,
    },
    shows: /accepted/,
  },
  {
    remedy: 'Build it again after the instruction ran: premath observe-build.',
    given: after([], instructed, place => {
      place.ask('premath observe-build')
      place.run(run)
    }),
    ask: `premath observe --mode instruction --instruction-id ${id}`,
    shows: /./,
    works: `premath observe --mode instruction --instruction-id ${id}`,
  },
  {
    remedy:
      'Let a person commit it there before the work begins, or put it in force at a terminal: premath policy set --input … --reason <why>.',
    given: after(repository, place => place.run('premath issue add one'), accepted),
    ask: claim,
    completes: {
      [`premath policy set --input ${instructionPath} --reason <why>`]: `premath policy set --input ${instructionPath} --reason reviewed`,
    },
  },
  {
    remedy:
      'Leave it to a person, outside of a step. Work may ask the harness, which takes it after the step: premath issue discover, premath issue comment, premath dep add.',
    given: [...one, 'premath issue add two'],
    ask: 'PREMATH_STEP_ID=w.bd-1.1.1 premath issue update bd-2 --title 2',
    completes: {
      'premath issue discover': inStep('issue discover bd-1 three'),
      'premath issue comment': inStep('issue comment bd-1 three'),
      'premath dep add': inStep('dep add bd-2 bd-1'),
    },
    works: 'premath issue show bd-2',
  },
  {
    remedy: 'Commit the project first: git add --all && git commit. Or let a person close it.',
    given: ['git init -q -b main', ...one, "premath config set verify 'test -d .premath'"],
    ask: agentClose,
    completes: { 'git add --all &&': commitAll, 'git commit': commitAll },
  },
  {
    remedy:
      'Let a person name the branch that judges work: premath config set onto <branch>. Then commit .premath/config.json, if git has it.',
    given: [
      'git init -q -b main',
      ...one,
      "premath config set verify 'test -d .premath'",
      'git add -A',
      'git commit -q -m begin',
      'git checkout -q --detach',
      'touch work',
    ],
    ask: agentClose,
    completes: {
      'premath config set onto <branch>': ['premath config set onto main', commitSettings],
    },
  },
  {
    remedy:
      'Restore .premath/capability-registry.json; or put a policy in force without it: premath policy set --input .premath/policy.json --reason <why>.',
    given: place => {
      place.run('premath init')
      json('.premath/capability-registry.json', governed)(place)
      json('evidence.json', promotionOf(digestOf(door.policy)))(place)
      json('new.json', door.policy)(place)
      place.run('premath policy set --input new.json --promotion evidence.json --reason x')
      rmSync(place.at('.premath/capability-registry.json'))
    },
    ask: 'premath doctor',
    completes: {
      'premath policy set --input .premath/policy.json --reason <why>':
        'premath policy set --input .premath/policy.json --reason x',
    },
  },
  {
    remedy:
      "Name it: premath config set processorCommand '<command>'. Or change harness.observabilityMode in .premath/policy.json.",
    given: after(
      one,
      json('.premath/policy.json', {
        schema: 1,
        surfaces: { cli: { mode: 'open' } },
        harness: { observabilityMode: 'internal_processor' },
      }),
    ),
    ask: "premath harness-step --issue bd-1 --worker w --work-cmd true --verify-cmd 'test -d .premath'",
    completes: {
      "premath config set processorCommand '<command>'":
        "premath config set processorCommand 'cat'",
    },
  },
  {
    remedy:
      'Let a person commit the specs, or close it. To allow them: premath issue update … --writes-specs. Then commit .premath/issues.jsonl, if git has it.',
    given: place => {
      place.run('git init -q -b main', 'premath init', 'premath config set sandbox off')
      place.run('premath issue add one --spec a.spec.md', 'git add -A', 'git commit -q -m begin')
      place.write('a.spec.md', '# A\n\n```console\n$ true\n```\n')
    },
    ask: agentClose,
    completes: {
      'premath issue update bd-1 --writes-specs': [
        'premath issue update bd-1 --writes-specs',
        commitSettings,
      ],
    },
  },
  {
    remedy:
      "Let a person set one: premath config set verify '<command>'. Then commit .premath/config.json, if git has it.",
    given: one,
    ask: agentClose,
    completes: {
      "premath config set verify '<command>'": "premath config set verify 'test -d .premath'",
    },
  },
  {
    remedy:
      "Let a person set one: premath config set verify '<command>'. Then commit .premath/config.json, if git has it.",
    given: [...repository, 'premath issue add one', 'touch work'],
    ask: agentClose,
    completes: {
      "premath config set verify '<command>'": [
        "premath config set verify 'test -d .premath'",
        commitSettings,
      ],
    },
  },
  {
    remedy: 'Run premath init, or leave out --write-witness.',
    given: json('turn.json', door.closingTurn('sha256:one')),
    ask: 'premath harness-join-check --input turn.json --write-witness',
  },
]

/** The work of a step asks, and the harness carries it out. */
function inStep(line: string): string {
  return `premath harness-step --issue bd-1 --worker w --work-cmd 'node ${main} ${line}' --verify-cmd 'test -d .premath'`
}
