/** A landing as the row of an issue records it. */
export const aLanding = {
  commit: 'c'.repeat(40),
  base: 'b'.repeat(40),
  tree: 'e'.repeat(40),
  target: 'main',
  close: {
    by: 'force',
    reason: 'done',
    commit: 'c'.repeat(40),
    tree: 'e'.repeat(40),
    target: 'main',
  },
  closedAt: '2026-02-22T10:30:00Z',
} as const
