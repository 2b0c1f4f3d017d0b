/**
 * The programs that a git configuration names for the content of files: filters and merge drivers.
 * Git has no setting that turns all of them off, so each is turned off by its name.
 */

/** The settings of one filter, such as `clean` and `smudge`. */
type FilterSettings = ReadonlyMap<string, string>

export interface GitPrograms {
  readonly filters: ReadonlyMap<string, FilterSettings>
  readonly mergeDrivers: ReadonlySet<string>
}

/** The keys that `programsIn` reads, for `git config -z --get-regexp`. */
export const programKeys = '^(filter\\..+\\.(clean|smudge|process|required)|merge\\..+\\.driver)$'

/** Reads `<key> LF <value> NUL`. A key without a value has no line feed. */
export function programsIn(text: string): GitPrograms {
  const filters = new Map<string, Map<string, string>>()
  const mergeDrivers = new Set<string>()
  for (const entry of text.split('\0').filter(one => one !== '')) {
    const end = entry.includes('\n') ? entry.indexOf('\n') : entry.length
    const key = entry.slice(0, end)
    const name = key.slice(key.indexOf('.') + 1, key.lastIndexOf('.'))
    if (key.startsWith('merge.')) mergeDrivers.add(name)
    else {
      const settings = filters.get(name) ?? new Map<string, string>()
      filters.set(name, settings.set(key.slice(key.lastIndexOf('.') + 1), entry.slice(end + 1)))
    }
  }
  return { filters, mergeDrivers }
}

type Setting = readonly [key: string, value: string]

/** Settings that turn the programs off. A checkout needs git-lfs, which may run for it. */
export function programsOff(
  { filters, mergeDrivers }: GitPrograms,
  { allowsLfs }: { readonly allowsLfs: boolean },
): readonly Setting[] {
  const filtersOff = [...filters]
    .filter(([name, settings]) => !allowsLfs || !isLfs(name, settings))
    .flatMap(([name]): readonly Setting[] => [
      ...filterCommands.map((word): Setting => [`filter.${name}.${word}`, '']),
      [`filter.${name}.required`, 'false'],
    ])
  const driversOff = [...mergeDrivers].map(
    (name): Setting => [`merge.${name}.driver`, textMergeCommand],
  )
  return [...filtersOff, ...driversOff]
}

/** Filters that a checkout may not run. A path with one of them would be stored unfiltered. */
export const refusedFilters = ({ filters }: GitPrograms): ReadonlySet<string> =>
  new Set([...filters].filter(([name, settings]) => !isLfs(name, settings)).map(([name]) => name))

const filterCommands = ['clean', 'smudge', 'process'] as const

/** As `git lfs install` writes them. Under its name, a repository could name any program. */
const lfsCommands: Readonly<Record<(typeof filterCommands)[number], RegExp>> = {
  clean: /^git-lfs clean -- %f$/,
  smudge: /^git-lfs smudge( --skip)? -- %f$/,
  process: /^git-lfs filter-process( --skip)?$/,
}

const isLfs = (name: string, settings: FilterSettings): boolean =>
  name === 'lfs' &&
  filterCommands.every(word => {
    const command = settings.get(word) ?? ''
    return command === '' || lfsCommands[word].test(command)
  })

/**
 * What git does without a driver. An empty command would drop one side without a conflict. Git
 * replaces the letters; a binary file ends with 255, which git would take for a broken driver.
 */
const textMergeCommand =
  'git merge-file --quiet -L ours -L base -L theirs --marker-size=%L %A %O %B || exit 1'
