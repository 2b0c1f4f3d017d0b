/** The checks of a project: HARNESS-RUNTIME §8 and §9, TUSK-HARNESS-CONTRACT §14.2. */
import type { Mutant, Mutants } from './mutant.ts'

const test = 'test/checks.test.ts'
const hygiene = 'src/kernel/checks/hygiene/rules.ts'
const docs = 'src/kernel/checks/docs/rules.ts'
const doctrine = 'src/kernel/checks/doctrine/rules.ts'
const doctrineTest = 'src/kernel/checks/doctrine/rules.test.ts'
const records = 'src/project/checks/coherence/records.ts'
const obligations = 'src/project/checks/coherence/obligations.ts'

/** A change after which the rule finds nothing. */
const blind = (file: string, rule: string, find: string, replace: string): Mutant => ({
  ...{ file, find, replace, test },
  named: `finds ${rule}`,
})

export const checkMutants: Mutants = {
  'runtime.8.routes': {
    file: doctrine,
    find: 'if (found.length === 1) continue',
    replace: 'if (found.length <= 1) continue',
    test: doctrineTest,
    named: 'finds route',
  },
  'runtime.9.hygiene': [
    blind(hygiene, 'machine_state_tracked', 'if (line !== undefined) {', "if (line === '') {"),
    blind(hygiene, 'ignored_output_tracked', 'if (ignored.has(path)) {', 'if (ignored.has("")) {'),
    {
      ...blind(hygiene, 'ignore_line_missing', '', ''),
      file: 'src/project/checks/hygiene.ts',
      find: "!source.startsWith('/') && /(^|\\/)\\.gitignore$/.test(source)",
      replace: "source !== ''",
    },
    blind(hygiene, 'private_key_tracked', 'of privateKeys) {', 'of privateKeys.slice(1)) {'),
    blind(hygiene, 'draft_left', 'of drafts) {', 'of drafts.slice(1)) {'),
    blind(
      hygiene,
      'issue_graph_compactness',
      'of graph.redundant) {',
      'of graph.redundant.slice(1)) {',
    ),
  ],
  'runtime.9.docs-coherence': [
    blind(
      docs,
      'unknown_command',
      'if (wrong?.is !== is) continue',
      "if (wrong?.is !== 'flag') continue",
    ),
    blind(
      docs,
      'unknown_flag',
      'if (wrong?.is !== is) continue',
      "if (wrong?.is !== 'command') continue",
    ),
    blind(docs, 'broken_link', 'existing.has(named.path)) continue', "named.path !== '') continue"),
    blind(
      docs,
      'unknown_kind',
      'if (kinds.includes(text)) continue',
      'if (kinds.length > 0) continue',
    ),
  ],
  'runtime.9.doctrine': [
    {
      file: doctrine,
      find: "if (contract.changes === (effect !== 'read')) continue",
      replace: "if (contract.changes || effect !== 'mutation') continue",
      test: doctrineTest,
      named: 'finds read_only',
    },
    {
      file: doctrine,
      find: '} else if (owner !== undefined) {',
      replace: "} else if (owner === '') {",
      test: doctrineTest,
      named: 'finds op_id',
    },
    blind(
      doctrine,
      'check_command',
      'if (checks.has(checkId)) continue',
      "if (checkId !== '') continue",
    ),
  ],
  'tusk.14.coherence-check': [
    blind(records, 'session_refs', "if (verdict === 'missing') this", "if (ref === '') this"),
    blind(records, 'trajectory_refs', "if (verdict === 'changed') {", "if (ref === '') {"),
    blind(records, 'lease_handoffs', "!== 'wrong') continue", "!== 'unknown') continue"),
    blind(records, 'step_ids', 'if (count > 1) tally', 'if (count > 2) tally'),
    blind(records, 'judged_turns', 'if (!turns.isChanged) return', 'if (turns.path) return'),
    blind(records, 'issues_snapshot', "if (verdict === 'wrong') {", "if (ref === '') {"),
    blind(
      obligations,
      'spec_refs',
      'if (await project.files.kindOf(project.at(spec))) continue',
      "if (spec !== '') continue",
    ),
    blind(obligations, 'witnesses', '} of findings) {', '} of findings.slice(1)) {'),
  ],
}
