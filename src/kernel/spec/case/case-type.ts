/** The shape of one type of case: its keys and the subjects of its assertions. */
import type { Keys } from './key-shape.ts'

export interface CaseType {
  readonly type: string
  /** One line, for documentation. */
  readonly describe: string
  /** Its own keys, beside those of every case. */
  readonly keys: Keys
  /** Its own keys under `harness`. */
  readonly harness: Keys
  /** The subjects it offers, besides `chain_json`. */
  readonly targets: readonly string[]
}

/** A subject of every type: the exports of the cases in its chain. */
export const chainTarget = 'chain_json'
