/**
 * Finds setup files that cannot share a folder: duplicates, and a file where another needs a
 * folder.
 */

interface SetupClash {
  /** The index of the later one. */
  readonly at: number
  readonly message: string
}

/** Takes normalized paths below the temporary folder. */
export function setupClashes(paths: readonly string[], key: string): readonly SetupClash[] {
  const files = new Map<string, number>()
  /** The first path that needs each folder. */
  const folders = new Map<string, number>()
  return paths.flatMap((path, at) => {
    const above = foldersAbove(path)
    const other =
      files.get(path) ?? folders.get(path) ?? above.map(one => files.get(one)).find(isKnown)
    if (!files.has(path)) files.set(path, at)
    for (const one of above) if (!folders.has(one)) folders.set(one, at)
    return other === undefined ? [] : [clash(at, other, { paths, key })]
  })
}

const isKnown = (at: number | undefined) => at !== undefined

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

interface Clashing {
  readonly paths: readonly string[]
  readonly key: string
}

function clash(at: number, other: number, { paths, key }: Clashing): SetupClash {
  const [one, two] = [paths[at] ?? '', paths[other] ?? '']
  const both = `${key}[${other}].path and ${key}[${at}].path`
  const why =
    one === two
      ? `both name ${one}`
      : `cannot both be there: ${one.length < two.length ? one : two} would be a file and a folder`
  return { at, message: `${both} ${why}` }
}
