/**
 * The main job in half a minute, in temporary folders: the gate checks turns, leases refuse late
 * writers, workers run through a project, and an agent closes an issue with proof. The demo fails if
 * an exit code is not the one it expects.
 */
import { gate } from './gate.mjs'
import { leases } from './leases.mjs'
import { loop } from './loop.mjs'
import { proof } from './proof.mjs'

gate()
leases()
await loop()
proof()
