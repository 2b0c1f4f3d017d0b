/** Merges the comments of an issue: all of both sides, each once. */
import { canonicalJson } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import { byTime, isList } from '../issue-comment.ts'
import { type Drop, mergeValue, type Sides } from './three-way.ts'

/**
 * Two comments are the same if all their members are. An id alone does not tell: other tools count
 * their comments, so two clones give one id to different comments.
 */
export function mergeComments(
  field: string,
  sides: Sides<Json | undefined>,
  drop: Drop,
): Json | undefined {
  const [newer, older] = [sides.newer ?? [], sides.older ?? []]
  if (!isList(newer) || !isList(older)) return mergeValue(field, sides, drop)
  const each = new Map([...older, ...newer].map(one => [canonicalJson(one), one]))
  return [...each.values()].sort(byTime)
}
