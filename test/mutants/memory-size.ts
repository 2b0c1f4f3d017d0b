/** Issue memory of any size. */
import type { Mutants } from './mutant.ts'

const test = 'src/store/file/issue-list-index.test.ts'

export const memorySizeMutants: Mutants = {
  'memory.6.questions': [
    {
      file: 'src/store/file/issue-list-index.ts',
      find: '  for (const number of except) count -= matches(number)\n',
      replace: '',
      test,
    },
    {
      file: 'src/kernel/issues/issue-memory.ts',
      find: 'if (!indexed) this.#clearShelf()',
      replace: 'this.#clearShelf()',
      test,
      named: 'reads the rows that it prints',
    },
    {
      file: 'src/kernel/issues/issue-memory.ts',
      find: 'const sources = [...this.#sourcesOf(target)]',
      replace: 'const sources = this.all().map(({ id }) => id)',
      test,
      named: 'reads its row',
    },
  ],
  'memory.6.replay': [
    {
      file: 'src/store/file/event-lines.ts',
      find: 'length = end === 0 ? 2 * length : pieceBytes',
      replace: 'length = 2 * length',
      test: 'src/store/file/event-lines.test.ts',
      named: 'reads no more than a piece',
    },
    {
      file: 'src/store/file/event-lines.ts',
      find: 'this.#lines + firstForeign(bytes)',
      replace: 'firstForeign(bytes)',
      test: 'src/store/file/event-lines.test.ts',
      named: 'says the same',
    },
  ],
  'memory.6.compaction': [
    {
      file: 'src/store/file/high-water-mark.ts',
      find: 'await this.#disk.appendLoosely(this.#replacedPath, encodedLines(replaced))',
      replace: '',
      test: 'src/store/file/high-water-mark.test.ts',
    },
    {
      file: 'src/store/file/high-water-mark.ts',
      find: 'if (before !== undefined) replaced.push(this.#digest(before))',
      replace: 'if (before === undefined) replaced.push(this.#digest(printIssue(issue)))',
      test: 'src/store/file/high-water-mark.test.ts',
    },
  ],
  'memory.6.mark': {
    file: 'src/store/file/high-water-mark.ts',
    find: 'noted?.startsWith(state) ?? false',
    replace: "noted?.startsWith('another') ?? false",
    test: 'src/store/file/high-water-mark.test.ts',
  },
}
