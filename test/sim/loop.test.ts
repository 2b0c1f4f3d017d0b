import { expect, test } from 'vitest'
import { LoopSimulation } from './loop-simulation.ts'
const openTurn = `${JSON.stringify({})}\n`
test('x', async () => {
  const t = Date.now()
  const full = process.env['FULL']
  const s = new LoopSimulation(Number(process.env['SEED'] ?? 1), full ? { issues: 2000, coordinators: 4, workers: 12, alone: 2, strikes: 80 } : { issues: 150, coordinators: 3, workers: 3, alone: 3, strikes: 30 }, openTurn)
  try { await s.run() } finally {
  console.log(Date.now() - t, 'ms', s.machine.turns, 'turns', s.disk.calls, s.runs.length, 'runs', s.struck, s.watch.takeovers, s.watch.closed, s.work.closable.size, s.watch.broken.slice(0, 5))
  for (const r of s.runs) console.log(r.crew.name, r.program.isAlive, (r.failure as Error)?.message, r.end?.summary.why, r.end?.summary.closed.length, r.end?.summary.failed.length, r.end?.summary.refused.length, r.end?.summary.left, r.end?.quits.slice(0,2))
  }
})
