/**
 * SHA-256 without `node:crypto`. Loading that takes a sixth of a bare start, more than judging
 * a small turn takes, and this starts in a tenth of the time. It is slower for each text, so the
 * world turns to `node:crypto` when there is much to hash.
 */

/** What we use of WebAssembly, which Node brings along but does not declare. */
interface WebAssemblyApi {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

interface Machine {
  /** Takes the blocks from `start` to `end` into the state. */
  readonly compress: (start: number, end: number) => void
  readonly bytes: Buffer
  readonly state: Int32Array
}

/**
 * 830 bytes of WebAssembly: the round constants in memory at 0, room for the message schedule at
 * 256, the state at 512. The test beside this file assembles them from readable instructions.
 */
export const sha256Code =
  'AGFzbQEAAAABBgFgAn9/AAMCAQAFAwEAAQcVAgZtZW1vcnkCAAhjb21wcmVzcwAACoEEAf4DAQp/A0BBACECA0AgACACaigCACELIAIgC0EId0H/gfwHcSALQQh4QYD+g3hxcjYCgAIgAkEEaiECIAJBwABJDQALQcAAIQIDQCACIAIoAsABIAIoAsQBQQd4IAIoAsQBQRJ4cyACKALEAUEDdnNqIAIoAuQBaiACKAL4AUEReCACKAL4AUETeHMgAigC+AFBCnZzajYCgAIgAkEEaiECIAJBgAJJDQALQQAoAoAEIQNBACgChAQhBEEAKAKIBCEFQQAoAowEIQZBACgCkAQhB0EAKAKUBCEIQQAoApgEIQlBACgCnAQhCkEAIQIDQCAKIAdBBnggB0ELeHMgB0EZeHNqIAkgByAIIAlzcXNqIAIoAgBqIAIoAoACaiELIAkhCiAIIQkgByEIIAYgC2ohByALIANBAnggA0ENeHMgA0EWeHNqIAMgBHEgBSADIARycXJqIQsgBSEGIAQhBSADIQQgCyEDIAJBBGohAiACQYACSQ0AC0EAQQAoAoAEIANqNgKABEEAQQAoAoQEIARqNgKEBEEAQQAoAogEIAVqNgKIBEEAQQAoAowEIAZqNgKMBEEAQQAoApAEIAdqNgKQBEEAQQAoApQEIAhqNgKUBEEAQQAoApgEIAlqNgKYBEEAQQAoApwEIApqNgKcBCAAQcAAaiEAIAAgAUkNAAsLC4cCAQBBAAuAApgvikKRRDdxz/vAtaXbtelbwlY58RHxWaSCP5LVXhyrmKoH2AFbgxK+hTEkw30MVXRdvnL+sd6Apwbcm3Txm8HBaZvkhke+78adwQ/MoQwkbyzpLaqEdErcqbBc2oj5dlJRPphtxjGoyCcDsMd/Wb/zC+DGR5Gn1VFjygZnKSkUhQq3JzghGy78bSxNEw04U1RzCmW7Cmp2LsnCgYUscpKh6L+iS2YaqHCLS8KjUWzHGeiS0SQGmdaFNQ70cKBqEBbBpBkIbDceTHdIJ7W8sDSzDBw5SqrYTk/KnFvzby5o7oKPdG9jpXgUeMiECALHjPr/vpDrbFCk96P5vvJ4ccY='

const stateAt = 512
const textAt = 1024
const blockBytes = 64
const lengthBytes = 8

/** Texts that fit into one page of memory however many bytes their characters take. */
export const quickCharsMax = 20_000

const initialState = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
)

/** Whether this process may run WebAssembly; one that may not compile code at run time may not. */
export const canHashQuickly = 'WebAssembly' in globalThis

let machine: Machine | undefined

export function quickSha256(text: string): string {
  machine ??= start()
  const { bytes, compress, state } = machine
  const length = bytes.write(text, textAt)
  const end = textAt + Math.ceil((length + 1 + lengthBytes) / blockBytes) * blockBytes
  bytes.fill(0, textAt + length, end)
  bytes[textAt + length] = 0x80
  bytes.writeUInt32BE(length * 8, end - 4)
  state.set(initialState)
  compress(textAt, end)
  let hex = ''
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, '0')
  return hex
}

function start(): Machine {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi })
    .WebAssembly
  const { exports } = new Instance(new Module(Buffer.from(sha256Code, 'base64')))
  const { compress, memory } = exports as Pick<Machine, 'compress'> & {
    readonly memory: { readonly buffer: ArrayBuffer }
  }
  return {
    compress,
    bytes: Buffer.from(memory.buffer),
    state: new Int32Array(memory.buffer, stateAt, initialState.length),
  }
}
