/** The state of git and of files, as doctor tells it, and the remedies that messages name. */
import type { Mutants } from './mutant.ts'

const test = 'test/doctor-git.test.ts'

export const memoryDoctorMutants: Mutants = {
  'memory.3.places': [
    {
      file: 'src/project/doctor/places.ts',
      find: 'if (there !== undefined) found.push',
      replace: "if (there?.includes('nowhere')) found.push",
      test,
      // Without the check, a pipe keeps doctor waiting for ever.
      named: 'a file where a folder is needed',
    },
    {
      file: 'src/world/files.ts',
      find: 'found.isFIFO() || ',
      replace: '',
      test,
      named: 'a pipe is told as a pipe',
    },
  ],
  'memory.3.driver': [
    {
      file: 'src/project/setup/usable-driver.ts',
      find: 'if (!hasMain.includes(true)) {',
      replace: 'if (hasMain.length === 0) {',
      test,
      named: 'has a premath that is gone',
    },
    {
      file: 'src/project/doctor/git.ts',
      find: 'const isOurs = unusable?.isOurs ?? true',
      replace: 'const isOurs = unusable?.isOurs ?? false',
      test,
      named: 'is not configured in this clone',
    },
    {
      file: 'src/project/setup/usable-driver.ts',
      find: 'if (!/\\bmerge-driver\\b/.test(command)) return',
      replace: 'if (command.length === 0) return',
      test,
      named: 'cat %B',
    },
  ],
  'memory.3.unmerged': [
    {
      file: 'src/project/issues/unmerged.ts',
      find: 'if (open.length === 0) return',
      replace: 'if (open.length >= 0) return',
      test,
      named: 'by a merge with a driver that cannot run',
    },
    {
      file: 'src/project/issues/unmerged.ts',
      find: "  'rebase-apply',\n",
      replace: '',
      test,
      named: 'by a rebase by patches',
    },
    {
      file: 'src/store/issue-rows.ts',
      find: 'const isMerge = this.#holdsMergeMarks()',
      replace: 'const isMerge = !this.#holdsMergeMarks()',
      test,
      named: 'by a stash',
    },
  ],
  'memory.3.line-ends': [
    {
      file: 'src/project/doctor/git.ts',
      find: 'const carriageReturn = 0x0d',
      replace: 'const carriageReturn = 0x00',
      test,
      named: 'of Windows',
    },
    {
      file: 'src/project/doctor/git.ts',
      find: "['true', 'input'].includes(",
      replace: "['false'].includes(",
      test,
      named: 'would translate',
    },
  ],
  'memory.3.drafts': [
    {
      file: 'src/project/doctor/drafts.ts',
      find: 'if (folder.isDeep) drafts.push',
      replace: 'if (!folder.isDeep) drafts.push',
      test,
      named: 'removed everywhere',
    },
    {
      file: 'src/project/doctor/drafts.ts',
      find: 'return writer === undefined || !(await',
      replace: 'return writer === undefined || !!(await',
      test,
      named: 'removed everywhere',
    },
    {
      file: 'src/project/doctor/drafts.ts',
      find: ': marked?.folder',
      replace: ': undefined',
      test,
      named: 'without git',
    },
  ],
  'memory.4.inventory': {
    file: 'src/kernel/issues/graph/dependency-edit.ts',
    find: "'premath dep tree shows the edges.'",
    replace: "'premath dep tree shows all edges.'",
    test: 'test/remedies.test.ts',
    named: 'every remedy has a row',
  },
  'memory.4.remedies': [
    {
      file: 'src/project/doctor/memory.ts',
      find: 'fenceOf(issue)} gives it back',
      replace: 'fenceOf(issue) + 1} gives it back',
      test: 'test/remedies-doctor.test.ts',
      named: 'premath issue lease-release',
    },
    {
      file: 'src/project/doctor/landed.ts',
      find: ".startsWith('- ')",
      replace: ".startsWith('+ ')",
      test: 'test/remedies-doctor.test.ts',
      named: 'lacks the work',
    },
    {
      file: 'src/render/issues/issue-claimed.ts',
      find: 'proofWords(issue, lease)}`',
      replace: 'proofWords(issue, lease).slice(0, 9)}`',
      test: 'test/remedies-issues.test.ts',
      named: 'premath dep remove',
    },
  ],
}
