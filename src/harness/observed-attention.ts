/** The attention of the last observation, for the report of a start. */
import { jsonIn } from '../kernel/json.ts'
import { attentionReasons, readSurface } from '../kernel/observation/read-surface.ts'
import { readPlain } from '../store/plain-file.ts'
import type { Harness } from './harness.ts'

export interface SeenObservation {
  /** `null` where the surface does not say, or cannot be read. */
  readonly evaluatedAt: string | null
  readonly state: string | null
  readonly needsAttention: boolean
  readonly attentionReasons: readonly string[]
  /** Why the file is no surface. */
  readonly unreadable: string | null
}

/** `own` is the root of the project without a slash at its end. */
export const observationPath = (own: string) => `${own}/artifacts/observation/latest.json`

/** `undefined` where nobody has built a surface. */
export async function observationIn({ root, disk }: Harness): Promise<SeenObservation | undefined> {
  const path = observationPath(root === '/' ? '' : root)
  if ((await disk.entry(path)) === undefined) return undefined
  const read = await readPlain(path, { root, disk })
  const surface = 'why' in read ? read : readSurface(jsonIn(read.text))
  if ('why' in surface) return { ...unseen, unreadable: surface.why }
  const { state, needsAttention } = surface.summary
  return {
    evaluatedAt: surface.evaluatedAt,
    state: typeof state === 'string' ? state : null,
    needsAttention: needsAttention === true,
    attentionReasons: attentionReasons(surface),
    unreadable: null,
  }
}

const unseen = {
  evaluatedAt: null,
  state: null,
  needsAttention: false,
  attentionReasons: [],
} as const
