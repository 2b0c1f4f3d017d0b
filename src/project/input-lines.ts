/** Reads lines as they come, from a terminal or a pipe. */

/** Without the line ends. The last line may have none. */
export async function* inputLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let pending = ''
  for await (const chunk of chunks) {
    pending += decoder.decode(chunk, { stream: true })
    const lines = pending.split('\n')
    pending = lines.pop() ?? ''
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  if (pending !== '') yield pending
}
