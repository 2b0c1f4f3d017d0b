/** Tells how much memory a process has had at most. */
process.on('exit', () => {
  process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`)
})
