export interface Serving {
  /** Settles when nobody can be served any more. */
  readonly ended: Promise<void>
  close(): Promise<void>
}
