import { Followed } from './followed.ts'
import type { SimDisk } from './sim-disk.ts'
import type { Watching, WatchListener } from './world.ts'

/** Files of a disk in memory: whoever changes one has told of it when that is done. */
export function simWatch(disk: SimDisk, listener: WatchListener): Watching {
  const followed = new Followed(listener)
  const unlisten = disk.onChange(path => {
    if (followed.covers(path)) listener.changed(path)
  })
  return {
    follow: async paths => void followed.add(paths),
    close: async () => unlisten(),
  }
}
