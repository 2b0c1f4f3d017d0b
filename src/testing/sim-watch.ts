import { WatchedPaths } from '../world/node-watch.ts'
import type { Watching, WatchListener } from '../world/world.ts'
import type { SimDisk } from './sim-disk.ts'

/** Watches a disk in memory: a change is reported before the call that makes it returns. */
export function simWatch(disk: SimDisk, listener: WatchListener): Watching {
  const watched = new WatchedPaths(listener)
  const unlisten = disk.onChange(path => {
    if (watched.covers(path)) listener.changed(path)
  })
  return {
    follow: async paths => void watched.add(paths),
    close: async () => unlisten(),
  }
}
