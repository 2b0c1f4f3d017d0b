import { memoryFields } from '../../input/issue-fields.ts'
import { judge } from '../../kernel/checks/check.ts'
import { hygieneRules } from '../../kernel/checks/hygiene/rules.ts'
import { hygieneFacts } from '../../project/checks/hygiene.ts'
import { openProject } from '../../project/open.ts'
import { checkAnswer } from '../../render/check-answer.ts'
import { HygieneReport } from '../../wire/checks/check-report.ts'
import { operation } from '../operation.ts'

export const ciHygieneCheck = operation({
  group: 'checks',
  opId: 'op/ci.hygiene_check',
  summary: 'Check that git tracks what it should, and no more.',
  description:
    'Finds tracked files that belong to one machine (caches, locks, journals), tracked outputs that a .gitignore excludes, private keys, missing lines in .gitignore and .gitattributes, half-written files, and what premath issue-graph-check finds. Only a .gitignore of the repository counts, since other clones do not have your own list. Outside of a git repository the rules about git look at nothing. Exits 1 if there is a finding.',
  effect: 'read',
  input: memoryFields,
  output: HygieneReport,
  examples: {
    'premath ci-hygiene-check': 'each rule, and what breaks it',
    'premath ci-hygiene-check --json': 'the same as obligations',
  },

  async run({ issues }, context) {
    const facts = await hygieneFacts(await openProject(context), issues)
    const about = { action: 'ci-hygiene-check', checkKind: 'premath.hygiene.v1' }
    return checkAnswer(about, judge('hygiene', hygieneRules, facts))
  },
})
