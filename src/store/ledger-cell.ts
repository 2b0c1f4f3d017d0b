import {
  type FeatureLedger,
  ledgerNoun,
  printLedger,
  readLedger,
} from '../kernel/harness/feature-ledger.ts'
import type { CellOptions } from './cell.ts'
import { DocumentCell } from './document-cell.ts'

/** The feature ledger in its file. */
export class LedgerCell extends DocumentCell<FeatureLedger> {
  constructor(options: CellOptions) {
    super(options, { noun: ledgerNoun, read: readLedger, print: printLedger })
  }
}
