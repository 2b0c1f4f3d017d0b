/**
 * The main job in half a minute, in folders of its own: turns of an agent are judged, leases are
 * fenced, and workers run through a project. Fails when an answer is not the one the text announces.
 */
import { gate } from './gate.mjs'
import { leases } from './leases.mjs'
import { loop } from './loop.mjs'

gate()
leases()
await loop()
