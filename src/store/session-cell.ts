import { printSession, readSession, type Session, sessionNoun } from '../kernel/harness/session.ts'
import type { CellOptions } from './cell.ts'
import { DocumentCell } from './document-cell.ts'

/** The handoff of one context to the next, in its file. */
export class SessionCell extends DocumentCell<Session> {
  constructor(options: CellOptions) {
    super(options, { noun: sessionNoun, read: readSession, print: printSession })
  }
}
