/** When the digest of a file that was read before may be used again, by what the disk says of the file. */

/** The facts of the disk about a file. The times are nanoseconds since 1970. */
export interface FileState {
  /** Device and inode. */
  readonly identity: string
  readonly size: number
  readonly modifiedNs: bigint
  /** The last change of content or metadata. No program can set it. */
  readonly changedNs: bigint
}

/** The file has not changed between the two, if it was settled at the first. */
export const isSameState = (one: FileState, other: FileState): boolean =>
  one.changedNs === other.changedNs &&
  one.modifiedNs === other.modifiedNs &&
  one.size === other.size &&
  one.identity === other.identity

/**
 * Each later change gives the file another time. `now` is a file that was written before the content
 * was read: a change in the same tick of the clock would leave the times as they are. Another device
 * may have another clock.
 */
export const isSettled = (file: FileState, now: FileState): boolean =>
  file.changedNs < now.modifiedNs &&
  file.modifiedNs < now.modifiedNs &&
  deviceOf(file) === deviceOf(now)

const deviceOf = ({ identity }: FileState) => identity.slice(0, identity.indexOf(':'))
