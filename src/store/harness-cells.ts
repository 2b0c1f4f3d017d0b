/** The documents that one worker hands to the next: the session and the feature ledger. */
import { ledgerNoun, printLedger, readLedger } from '../kernel/harness/feature-ledger.ts'
import { printSession, readSession, sessionNoun } from '../kernel/harness/session.ts'
import type { FeatureLedger } from '../wire/harness/feature-ledger.ts'
import type { Session } from '../wire/harness/session.ts'
import { type CellOptions, DocumentCell } from './cell.ts'

export class SessionCell extends DocumentCell<Session> {
  constructor(options: CellOptions) {
    super(options, { noun: sessionNoun, read: readSession, print: printSession })
  }
}

export class LedgerCell extends DocumentCell<FeatureLedger> {
  constructor(options: CellOptions) {
    super(options, { noun: ledgerNoun, read: readLedger, print: printLedger })
  }
}
