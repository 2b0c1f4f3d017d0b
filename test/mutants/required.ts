/** Required checks. */
import type { Mutants } from './mutant.ts'

const commands = 'test/required-checks.test.ts'
const projection = 'src/kernel/required/projection.test.ts'
const verification = 'src/kernel/required/verify-witness.test.ts'

export const requiredMutants: Mutants = {
  'required.1.projection': {
    file: 'src/kernel/required/projection.ts',
    find: 'const material = { projectionPolicy, changedPaths, requiredChecks }',
    replace: 'const material = { projectionPolicy, requiredChecks }',
    test: projection,
  },
  'required.2.rules': {
    file: 'src/kernel/required/projection.ts',
    find: '!isNamed(path) && !isDocument(path)',
    replace: '!isNamed(path) && isDocument(path)',
    test: projection,
  },
  'required.3.paths': {
    file: 'src/kernel/required/changed-paths.ts',
    find: "path.split('/').includes('..')",
    replace: "path === '..'",
    test: projection,
  },
  'required.4.rules-file': [
    {
      file: 'src/kernel/required/path-rules.ts',
      find: 'if (above.includes(check)) return',
      replace: 'if (above.length > 9) return',
      test: 'src/kernel/required/path-rules.test.ts',
    },
    {
      file: 'src/kernel/required/path-rules.ts',
      find: 'some.find(check => !order.includes(check))',
      replace: "some.find(check => check === '')",
      test: 'src/kernel/required/path-rules.test.ts',
    },
  ],
  'required.5.gate': [
    {
      file: 'src/kernel/required/gate-witness.ts',
      find: 'if (hasFailures === (expected',
      replace: 'if (true || hasFailures === (expected',
      test: 'src/kernel/required/gate-ref.test.ts',
    },
    {
      file: 'src/project/required/run-required.ts',
      find: 'isBroken && ended === 0 ? 1 : ended',
      replace: 'ended',
      test: commands,
    },
  ],
  'required.6.witness': {
    file: 'src/kernel/required/required-witness.ts',
    find: "isIncomplete ? ['check_not_executed'] : []",
    replace: 'isIncomplete ? [] : []',
    test: verification,
  },
  'required.7.verify': {
    file: 'src/kernel/required/verify-gates.ts',
    find: 'actual === ref.sha256 ? []',
    replace: 'actual !== undefined ? []',
    test: verification,
  },
  'required.8.decide': [
    {
      file: 'src/kernel/required/decide.ts',
      find: "witness['verdictClass'] === 'accepted'",
      replace: "witness['verdictClass'] !== undefined",
      test: verification,
    },
    {
      file: 'src/kernel/required/decide.ts',
      find: '...(isSame ? []',
      replace: '...(isSame || true ? []',
      test: verification,
    },
  ],
  'required.9.chain': {
    file: 'src/kernel/required/verify-decision.ts',
    find: 'if (actual === undefined || claimed === actual) return []',
    replace: 'if (actual !== claimed || claimed === actual) return []',
    test: verification,
  },
  'required.10.delta': [
    {
      file: 'src/harness/worktree/changed-paths.ts',
      find: "'--no-renames', '--relative'",
      replace: "'--diff-filter=ACMR', '--relative'",
      test: commands,
    },
    {
      file: 'src/harness/worktree/changed-paths.ts',
      find: "await list(['ls-files', '-z', '--others', '--exclude-standard'])",
      replace: '[]',
      test: commands,
    },
  ],
  'required.11.exit-codes': {
    file: 'src/operations/required/witness-verify.ts',
    find: 'yes: errors.length === 0',
    replace: 'yes: true',
    test: commands,
  },
  'required.12.artifacts': [
    {
      file: 'src/project/required/run-required.ts',
      find: 'await disk.removeFolder(stale)',
      replace: 'void stale',
      test: commands,
    },
    {
      file: 'src/project/required/run-required.ts',
      find: 'name}.source',
      replace: 'name}.origin',
      test: commands,
    },
  ],
  'required.13.run': [
    {
      file: 'src/project/required/run-required.ts',
      find: 'atOnce: run.atOnce',
      replace: 'atOnce: 1',
      test: commands,
    },
    {
      file: 'src/harness/run-checks.ts',
      find: "results.get(one)?.status !== 'passed'",
      replace: 'results.get(one) === undefined',
      test: commands,
    },
  ],
}
