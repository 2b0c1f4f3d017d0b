/** What a case of one type may say, and what can be asserted about it. */
import type { Keys } from './key-shape.ts'

export interface CaseType {
  readonly type: string
  /** One line, for documentation. */
  readonly describe: string
  /** Whether it can be run; a library is only read. */
  readonly executable: boolean
  /** Beside those that every case may have. */
  readonly keys: Keys
  /** Under `harness`, beside those that every case may have there. */
  readonly harness: Keys
  /** The subjects it offers, besides `chain_json`. */
  readonly targets: readonly string[]
}

/** Whatever the type: what the cases of its chain exported. */
export const chainTarget = 'chain_json'
