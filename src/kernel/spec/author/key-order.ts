const order = [
  'id',
  'title',
  'type',
  'purpose',
  'tags',
  'concurrency',
  'requires',
  'expect',
  'assert_health',
  'path',
  'harness',
  'assert',
]

/** For sorting. Keys of one type of case stand before `assert`, in the author's order. */
export function keyRank(key: string): number {
  const at = order.indexOf(key)
  return at === -1 ? order.length - 1.5 : at
}
