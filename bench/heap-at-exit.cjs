/** Tells what is still held when a process is about to end. */
process.on('exit', () => {
  globalThis.gc()
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`)
})
