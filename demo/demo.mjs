/**
 * The main job in half a minute, in temporary folders: the gate checks turns, leases refuse late
 * writers, an agent closes an issue with proof, and two workers land five issues on main. The demo
 * fails if an exit code is not the one it expects.
 */
import { gate } from './gate.mjs'
import { leases } from './leases.mjs'
import { landed, loop } from './loop.mjs'
import { proof } from './proof.mjs'

gate()
leases()
proof()
landed(await loop())
