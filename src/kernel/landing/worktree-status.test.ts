import { describe, expect, it } from 'vitest'
import { readStatus } from './worktree-status.ts'

const oid = 'd00491fd7e5bb6fa28c517a0bb32b8b506539d4d'

describe('the status of a worktree', () => {
  it('names the commit and the files that differ, also with spaces', () => {
    const status = readStatus([
      `# branch.oid ${oid}`,
      '# branch.head (detached)',
      `1 .M N... 100644 100644 100644 ${oid} ${oid} two  words.txt`,
      `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} both sides.txt`,
      '? new file',
    ])
    expect(status).toEqual({
      commit: oid,
      changed: ['two  words.txt', 'both sides.txt'],
      hasUntracked: true,
    })
  })

  it('is clean without lines of files', () => {
    const clean = { commit: '(initial)', changed: [], hasUntracked: false }
    expect(readStatus(['# branch.oid (initial)', '# branch.head main'])).toEqual(clean)
  })
})
