/**
 * Issue memory that a process keeps between questions that come minutes apart. The tail of the file is
 * not enough to trust it: a person may edit any row in place meanwhile.
 */
import type { Clock, Disk, FileStamp } from '../../world/world.ts'
import { isSameStamp } from './issue-cache.ts'
import { type Known, type RowsFile, WarmIssues } from './warm-issues.ts'

/**
 * The coarsest times that file systems record. A file that changes again within this time of a change
 * may have the same stamp.
 */
const stampNsMax = 2_000_000_000n

/** The content that memory was read from. */
interface Seen {
  readonly known: Known
  readonly stamp: FileStamp
  /** When this process first met the stamp. */
  readonly metAt: bigint
  /** The content was read later than any change that could have the same stamp. */
  readonly isSettled: boolean
  /** Of the rows. */
  readonly digest: string
}

interface KeptIssuesOptions {
  readonly path: string
  readonly disk: Disk
  readonly clock: Clock
  readonly sha256: (bytes: Uint8Array) => string
}

export class KeptIssues {
  readonly #warm: WarmIssues
  readonly #clock: Clock
  readonly #sha256: (bytes: Uint8Array) => string
  #seen: Seen | undefined

  constructor({ path, disk, clock, sha256 }: KeptIssuesOptions) {
    this.#warm = new WarmIssues(path, disk, undefined)
    this.#clock = clock
    this.#sha256 = sha256
  }

  /** Memory as the file has it now. */
  async catchUp(file: RowsFile): Promise<Known> {
    const stamp = await file.stamp()
    const now = this.#clock.now()
    const seen = this.#seen
    const isSame = seen !== undefined && isSameStamp(seen.stamp, stamp)
    if (isSame && seen.isSettled) return seen.known
    // A fault on the way must not leave memory half read.
    this.#seen = undefined
    const content = await file.read(0, stamp.size)
    const isContinued = seen !== undefined && this.#startsWith(content, seen)
    if (!isContinued) this.#warm.forget()
    const known = await this.#warm.catchUp(heldFile(content, stamp))
    const { bytes } = known.end
    const metAt = isSame ? seen.metAt : now
    this.#seen = {
      known,
      stamp,
      metAt,
      isSettled: now - metAt > stampNsMax,
      digest:
        isContinued && bytes === seen.known.end.bytes
          ? seen.digest
          : this.#sha256(content.subarray(0, bytes)),
    }
    return known
  }

  #startsWith(content: Uint8Array, { known, digest }: Seen): boolean {
    const { bytes } = known.end
    return bytes <= content.length && this.#sha256(content.subarray(0, bytes)) === digest
  }
}

/** Rows and digest come from the same bytes, whatever happens to the file. */
function heldFile(content: Uint8Array, stamp: FileStamp): RowsFile {
  // A copy, because memory keeps the tail and must not hold the whole content by it.
  const readNow = (at: number, length: number) => content.slice(at, at + length)
  return {
    stamp: async () => ({ ...stamp, size: content.length }),
    read: async (at, length) => readNow(at, length),
    readNow,
  }
}
