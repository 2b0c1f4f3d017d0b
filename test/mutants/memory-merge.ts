/** The laws of merging issue memory. */
import type { Mutants } from './mutant.ts'

const lines = 'test/lines-of-both-sides.test.ts'
const test = 'src/kernel/issues/merge/merge-laws.test.ts'
const merge = 'src/kernel/issues/merge'
const passed = 'src/kernel/issues/forward/passed-over.ts'
const patches = 'src/kernel/issues/forward/passed-over.test.ts'

export const memoryMergeMutants: Mutants = {
  'memory.2.closes': [
    {
      file: `${merge}/state-merge.ts`,
      find: 'isNew(one) && (close || isLanding(other))',
      replace: 'isNew(one) && isLanding(other)',
      test,
      named: 'wins over a claim',
    },
    {
      file: `${merge}/state-merge.ts`,
      find: 'if (close && isSame(closeOf(other), close)) {',
      replace: 'if (close && isSame(closeOf(other), null)) {',
      test,
      named: 'reopening that knew it',
    },
  ],
  'memory.2.same-issue': [
    {
      file: `${merge}/same-issue.ts`,
      find: `return typeof from === 'string' ? from : id`,
      replace: `return typeof from === 'string' && from === id ? from : id`,
      test,
      named: 'a squash or a cherry-pick',
    },
    {
      file: `${merge}/merged-ids.ts`,
      find: 'issue: turn(version.issue),',
      replace: 'issue: moved(version.issue, version.ids, moves),',
      test,
      named: 'picks them',
    },
  ],
  'memory.2.once': [
    {
      file: `${merge}/state-merge.ts`,
      find: 'if (isReleaseOf(newer, older)) return newer\n',
      replace: '',
      test,
      named: 'no released lease',
    },
    {
      file: `${merge}/row-merge.ts`,
      find: 'if (base && isMadeFrom(base, ours) && isMadeFrom(base, theirs)) {',
      replace: 'if (base && knows(ours, base) && knows(theirs, base)) {',
      test,
      named: 'a person took an older one',
    },
  ],
  'memory.2.patches': [
    {
      file: passed,
      find: 'if (unknown) unknown.passed = unknown.rows.length',
      replace: 'if (unknown) unknown.passed = 0',
      test: patches,
      named: 'beside the comment',
    },
    {
      file: passed,
      find: 'return (marked !== undefined && printIssue(marked) === text) || wasReplaced(text)',
      replace: 'return (marked !== undefined && printIssue(marked) === text) || wasReplaced("")',
      test: patches,
      named: 'that were all seen here',
    },
    {
      file: passed,
      find: 'base ? [base] : []',
      replace: 'base ? [] : []',
      test: patches,
      named: 'stays removed',
    },
    {
      file: 'src/kernel/issues/forward/forward.ts',
      find: '!file.passed.has(row) && ',
      replace: '',
      test: patches,
      named: 'may be the newer one',
    },
    {
      file: 'src/store/file/forward-issues.ts',
      find: 'if (!isKnown(issue, acknowledged)) unknown.push(issue)',
      replace: 'void isKnown',
      test: lines,
      named: 'applies patches',
    },
  ],
  'memory.2.lines': [
    {
      file: 'src/world/stat.ts',
      find: 'found.birthtimeNs}`',
      replace: 'found.dev}`',
      test: 'src/world/stat.test.ts',
    },
    {
      file: 'src/store/file/forward-issues.ts',
      find: "const lacking = kind === 'other log' ? noRows : await this.#compare(file, known)",
      replace: "const lacking = kind === 'unknown' ? await this.#compare(file, known) : noRows",
      test: lines,
      named: 'acknowledged nothing',
    },
    {
      file: 'src/kernel/issues/forward/apart.ts',
      find: 'apart.size === 0 ? last',
      replace: 'apart.size >= 0 ? last',
      test: lines,
      named: 'merge driver',
    },
    {
      file: 'src/kernel/issues/forward/forward.ts',
      find: 'return committed.has(printIssue(row)) ||',
      replace: 'return committed.size >= 0 ||',
      test: lines,
      named: 'no commit has',
    },
  ],
  'memory.2.converge': {
    file: 'src/kernel/issues/forward/forward.ts',
    find: 'isBefore && there !== undefined && isNewer(there, issue)',
    replace: 'isBefore && there === undefined',
    test: 'test/sim/merge-histories.test.ts',
  },
  'memory.2.gave-way': [
    {
      file: 'src/project/doctor/memory.ts',
      find: '      ...issues.flatMap(gaveWay),\n',
      replace: '',
      test: 'test/merge-driver.test.ts',
    },
    {
      file: 'src/kernel/issues/issue-edit.ts',
      find: 'acknowledgeMerge ? {',
      replace: 'acknowledgeMerge === undefined ? {',
      test: 'test/merge-driver.test.ts',
    },
    {
      file: 'src/operations/project/prime.ts',
      find: '({ gaveWay }) => gaveWay,',
      replace: '() => false,',
      test: 'test/merge-driver.test.ts',
    },
    {
      file: 'src/kernel/harness/prime.ts',
      find: '  yield* otherGaveWaySection(facts, charsMax)\n',
      replace: '',
      test: 'src/kernel/harness/prime.test.ts',
    },
  ],
  'memory.2.nothing-lost': [
    {
      file: `${merge}/issue-merge.ts`,
      find: 'lastCommon(left, right) ?? before?.issue',
      replace: 'before?.issue',
      test,
      named: 'from the last row that both had',
    },
    {
      file: `${merge}/row-merge.ts`,
      find: 'return knows(row, base) && !(',
      replace: 'return !(',
      test,
      named: 'compaction removed the rows',
    },
  ],
}
