/** How one issue may depend on another. Plain data: the kernel reads rows by it at every start. */
export const dependencyTypes = [
  'blocks',
  'parent-child',
  'conditional-blocks',
  'related',
  'discovered-from',
  'relates-to',
  'duplicates',
  'supersedes',
  'waits-for',
  'replies-to',
] as const
