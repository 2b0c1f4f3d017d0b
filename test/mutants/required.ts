/** Required checks. */
import type { Mutants } from './mutant.ts'

const commands = 'test/required-checks.test.ts'
const steps = 'test/required-steps.test.ts'
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
  'required.14.step': [
    {
      file: 'src/harness/landing/landing-delta.ts',
      find: "'--no-renames', '--ignore-submodules=none'",
      replace: "'--diff-filter=ACMR'",
      test: steps,
      named: 'sees deleted, renamed and new files',
    },
    {
      file: 'src/harness/landing/git-checkout.ts',
      find: '{ ...candidate, before: base }',
      replace: '{ ...candidate, before: base === head ? base : candidate.base }',
      test: steps,
      named: 'runs the checks of the paths',
    },
    {
      file: 'src/kernel/required/step-checks.ts',
      find: 'isAlone && isEmpty ? rules.baseline : requiredChecks',
      replace: 'isAlone && !isEmpty ? rules.baseline : requiredChecks',
      test: steps,
      named: 'verifies by the baseline',
    },
  ],
  'required.15.failure': [
    {
      file: 'src/harness/step/required-verifier.ts',
      find: 'if (last.passed) continue',
      replace: 'if (results.length > 0) continue',
      test: steps,
      named: 'gives a check that fails',
    },
    {
      file: 'src/kernel/required/step-checks.ts',
      find: 'for (const before of checks[checkId]?.after ?? []) take(before)',
      replace: 'for (const before of checks[checkId]?.after ?? []) void before',
      test: steps,
      named: 'gives a check that fails',
    },
  ],
  'required.16.target': [
    {
      file: 'src/project/required/required-on-target.ts',
      find: 'held?.read ?? fromFiles(project)',
      replace: 'fromFiles(project)',
      test: steps,
      named: 'claims nothing without rules',
    },
    {
      file: 'src/harness/step/required-verifier.ts',
      find: '[...commandsOf(required), ...',
      replace: '[...commandsOf(required).slice(0, 0), ...',
      test: steps,
      named: 'refuses work that edits the script',
    },
    {
      file: 'src/project/proofs/agent-close.ts',
      find: 'return required ? requiredVerifier',
      replace: 'return required && !own && verify ? requiredVerifier',
      test: steps,
      named: 'its own close obeys the setting',
    },
  ],
  'required.17.rerun': [
    {
      file: 'src/project/proofs/rerun-required.ts',
      find: 'isThere ? atBase : fromFiles(project)',
      replace: 'isThere ? fromFiles(project) : atBase',
      test: steps,
      named: 'goes by the setting',
    },
    {
      file: 'src/project/proofs/rerun.ts',
      find: 'const judging = [...required,',
      replace: 'const judging = [...required.slice(0, 0),',
      test: steps,
      named: 'finds a result',
    },
  ],
}
