/** Issue memory that only goes forward. */
import type { Mutants } from './mutant.ts'

const test = 'test/forward.test.ts'

export const forwardMutants: Mutants = {
  'memory.1.rows': [
    {
      file: 'src/store/file/memory-file.ts',
      find: 'if (lacking?.length === 0) return known.memory',
      replace: 'if (lacking) return known.memory',
      test,
      named: 'by git reset --hard',
    },
    {
      file: 'src/store/file/issue-writer.ts',
      find: 'if (rows.length === 0) return known\n',
      replace: 'if (rows.length >= 0) return known\n',
      test,
      named: 'by git stash',
    },
    {
      file: 'src/store/file/memory-file.ts',
      find: '?? false)',
      replace: '?? false) === undefined',
      test,
      named: 'by its deletion',
    },
  ],
  'memory.1.record': [
    {
      file: 'src/store/file/high-water-mark.ts',
      find: "error.code === 'corrupt') throw new DamagedMark(error)",
      replace:
        "error.code === 'corrupt') return await readAllRows(file, 0, this.rowsPath, () => {})",
      test,
      named: 'that is damaged',
    },
    {
      file: 'src/store/file/issue-writer.ts',
      find: 'if (failed) this.#memory.notice(unmarked(failed))',
      replace: 'void failed',
      test: 'src/store/file/file-issue-store.test.ts',
    },
    {
      file: 'src/store/file/high-water-mark.ts',
      find: 'last === tail.length - 1 ? size',
      replace: 'last < tail.length ? size',
      test,
      named: 'zeros',
    },
  ],
  'memory.1.damaged': [
    {
      file: 'src/store/file/high-water-mark.ts',
      find: 'if (end.bytes < size) await file.cut(end.bytes)',
      replace: 'if (end.bytes < 0) await file.cut(end.bytes)',
      test,
      named: 'lost its end is made',
    },
    {
      file: 'src/store/file/high-water-mark.ts',
      find: 'const isWhole = isRead ||',
      replace: 'const isWhole = purpose.length > 0 ||',
      test,
      named: 'whose last line',
    },
    {
      file: 'src/store/file/forward-issues.ts',
      find: 'if (!isOfHere) return noRows',
      replace: 'if (isOfHere) return noRows',
      test,
      named: 'is empty, and makes',
    },
    {
      file: 'src/store/file/high-water-mark.ts',
      find: "line.replace(/^\\0+/, '')",
      replace: 'line',
      test,
      named: 'follows zeros',
    },
  ],
  'memory.1.proofs': [
    {
      file: 'src/store/file/issue-writer.ts',
      find: '    await this.#restoreProofs(rows)\n',
      replace: '',
      test,
    },
    {
      file: 'src/project/doctor/proofs.ts',
      find: 'for (const issue of issues) await proofs.restore(issue.id, chainOf(issue))',
      replace: '',
      test,
    },
  ],
  'memory.1.begun': [
    {
      file: 'src/project/root.ts',
      find: 'hint: hasMemory\n',
      replace: 'hint: !hasMemory\n',
      test,
      named: 'bare repository',
    },
    {
      file: 'src/store/file/memory-file.ts',
      find: 'if (!(await this.hasMemory())) await',
      replace: 'if (!(await this.isThere()) && (await this.hasMemory())) await',
      test,
      named: 'without a checkout',
    },
    {
      file: 'src/store/file/forward-issues.ts',
      find: 'if (end.bytes === 0)',
      replace: 'if (end.bytes < 0)',
      test,
      named: 'was emptied',
    },
    {
      file: 'src/store/file/event-log.ts',
      find: 'if (!row && logged > 0)',
      replace: 'if (!row && logged < 0)',
      test,
      named: 'only the event log',
    },
  ],
  'memory.1.fences': [
    {
      file: 'src/kernel/issues/forward/forward.ts',
      find: 'if (older.has(id) || (change?.isBefore && !isKnown)) {',
      replace: 'if (older.has(id) && !there) {',
      test,
    },
    {
      file: 'src/project/open-issues.ts',
      find: 'if (own === common || ',
      replace: 'if (own !== common || ',
      test,
      named: 'of the copy in a linked worktree',
    },
  ],
  'memory.1.steps': [
    {
      file: 'src/harness/step/claim-work.ts',
      find: 'let attempt = begun + 1',
      replace: 'let attempt = 1',
      test,
    },
    {
      file: 'src/harness/step/attempt.ts',
      find: '  await (await LastAttempts.read(harness))?.note(journal)\n',
      replace: '',
      test,
    },
  ],
  'memory.1.commits': [
    {
      file: 'src/kernel/issues/forward/forward.ts',
      find: '!history.past.has(change.acknowledged)',
      replace: 'history.committed.has(change.acknowledged)',
      test,
      named: 'never knew them',
    },
    {
      file: 'src/project/issues/row-history.ts',
      find: 'filter(row => acknowledged.has(row))',
      replace: "filter(row => acknowledged.has(row + '.'))",
      test,
      named: 'that knew the acknowledged ones',
    },
    {
      file: 'src/kernel/issues/merge/row-merge.ts',
      find: ' || isOtherHolder(row, other)) return false',
      replace: ') return false',
      test,
      named: 'by the claim of another clone',
    },
  ],
  'memory.1.contradiction': [
    {
      file: 'src/store/file/memory-file.ts',
      find: 'error instanceof ContradictingFences && !(await this.#isAsKnown(known))',
      replace: 'error instanceof ContradictingFences && (await this.#isAsKnown(known))',
      test: 'src/store/file/file-issue-store.test.ts',
      named: 'between the rows and the log',
    },
    {
      file: 'src/kernel/issues/forward/mend.ts',
      find: '[highest.get(row.id), acknowledged.get(row.id)]',
      replace: '[highest.get(row.id), highest.get(row.id)]',
      test: 'src/kernel/issues/forward/mend.test.ts',
    },
    {
      file: 'src/kernel/issues/forward/mend.ts',
      find: 'if (isOtherIssue(end, row)) others.set(creationOf(row), row)',
      replace: 'if (isOtherIssue(end, row) && end === row) others.set(creationOf(row), row)',
      test: 'src/kernel/issues/forward/mend.test.ts',
    },
    {
      file: 'src/kernel/issues/forward/fences.ts',
      find: 'if (before && isLower(fence, before.fence)) {',
      replace: 'if (before && isLower(fence, -1)) {',
      test,
      named: 'in the file',
    },
    {
      file: 'src/kernel/issues/forward/forward.ts',
      find: 'if (change) mustNotGoBack(issue, there, place)',
      replace: 'if (change === undefined) mustNotGoBack(issue, there, place)',
      test,
      named: 'with the mark',
    },
    {
      file: 'src/store/file/high-water-mark.ts',
      find: 'log ? stampText(log) : ',
      replace: 'log ? 0 : ',
      test,
      named: 'changed alone',
    },
    {
      file: 'src/project/doctor/examine.ts',
      find: 'visit.isContradicted ? none : ',
      replace: '',
      test,
      named: 'changed alone',
    },
    {
      file: 'src/store/file/forward-issues.ts',
      find: 'await this.#mustNotContradictLog(known)\n    await this.mark.noteCompared',
      replace: 'await this.mark.noteCompared',
      test,
      named: 'with the event log',
    },
  ],
  'memory.1.accept-older': [
    {
      file: 'src/kernel/issues/merge/same-issue.ts',
      find: 'creationOf(one) !== creationOf(other)\n',
      replace: 'false\n',
      test,
      named: 'got the id of one',
    },
    {
      file: 'src/store/file/issue-writer.ts',
      find: 'await this.#memory.forward?.mark.retire(givenUp)',
      replace: 'void givenUp',
      test,
      named: 'its fences go on',
    },
    {
      file: 'src/project/doctor/forward.ts',
      find: 'if (isRefusal(by)) return { ...found,',
      replace:
        "if (isRefusal(by)) await store.mend('older', project.sha256)\n  if (isRefusal(by)) return { ...found,",
      test,
      named: 'nobody confirms it',
    },
  ],
}
