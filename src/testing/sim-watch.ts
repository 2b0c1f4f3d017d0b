import { Followed } from '../world/followed.ts'
import type { Watching, WatchListener } from '../world/world.ts'
import type { SimDisk } from './sim-disk.ts'

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
