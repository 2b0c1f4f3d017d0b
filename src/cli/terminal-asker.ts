import type { Asker } from '../project/context.ts'
import type { World } from '../world/world.ts'

/** Asks on stderr and reads lines of standard input. */
export function askerAt({ input, err }: Pick<World, 'input' | 'err'>): Asker {
  const chunks = input[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  let pending = ''
  return async question => {
    err.write(question)
    while (!pending.includes('\n')) {
      const { done, value } = await chunks.next()
      if (done) return undefined
      pending += decoder.decode(value, { stream: true })
    }
    const end = pending.indexOf('\n')
    const line = pending.slice(0, end)
    pending = pending.slice(end + 1)
    return line.trim()
  }
}
