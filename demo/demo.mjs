/**
 * The main job in half a minute, in folders of its own: turns of an agent are judged, leases are
 * fenced, workers run through a project, and an agent closes an issue when it can prove it. Fails
 * when an answer is not the one the text announces.
 */
import { door } from './door.mjs'
import { gate } from './gate.mjs'
import { leases } from './leases.mjs'
import { loop } from './loop.mjs'

gate()
leases()
await loop()
door()
