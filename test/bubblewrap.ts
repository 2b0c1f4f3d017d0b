/** Tries bubblewrap by hand. Where it works, premath must sandbox, and no test is skipped. */
import { spawnSync } from 'node:child_process'

const byHand = spawnSync('bwrap', [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...['--unshare-pid', '--cap-drop', 'ALL', 'true'],
])

export const isSandboxed = byHand.status === 0
if (!isSandboxed) console.log('skipped: bubblewrap is missing or does not work here')
