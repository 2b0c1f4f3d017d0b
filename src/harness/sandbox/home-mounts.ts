/** What a command in the sandbox sees of the home folder: most of it read-only, and no keys. */
import type { Mount } from '../../kernel/sandbox/bubblewrap.ts'
import {
  type AgentState,
  agentFiles,
  agentFolders,
  agentStates,
  caches,
  npmSettings,
  type SandboxRole,
  secretPaths,
  withoutNpmTokens,
} from '../../kernel/sandbox/home.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { Disk, Files } from '../../world/world.ts'

interface HomePlace {
  readonly disk: Disk
  readonly files: Files
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface HomeMounts {
  readonly mounts: readonly Mount[]
  /** Variables that name places of the sandbox for what the home folder does not have. */
  readonly env: Readonly<Record<string, string>>
}

/** `folder` gets the private copies. */
export async function homeMounts(
  place: HomePlace,
  role: SandboxRole,
  folder: string,
): Promise<HomeMounts> {
  const home = place.env['HOME'] ?? ''
  if (!home.startsWith('/')) return { mounts: [], env: {} }
  const secrets = await Promise.all(secretsOf(place.env, home).map(path => hidden(place, path)))
  const caching = await cacheMounts(place, home, folder)
  const agents: Mount[] = []
  for (const state of agentStates) agents.push(...(await agentMounts(place, state, role, folder)))
  for (const path of agentFolders) {
    const found = await realFolder(place, `${home}/${path}`)
    if (found) agents.push({ kind: role === 'work' ? 'writable' : 'empty', path: found })
  }
  for (const name of agentFiles) {
    const path = await place.disk.realPath(`${home}/${name}`)
    if ((await place.disk.entry(path))?.kind !== 'file') continue
    if (role !== 'work') agents.push({ kind: 'blank', path })
    else {
      const from = `${folder}/${name}`
      await place.disk.copy(path, from)
      agents.push({ kind: 'writable', path, from })
    }
  }
  const npm = await npmMounts(place, `${home}/${npmSettings}`, folder)
  return { mounts: [...caching.mounts, ...agents, ...npm, ...secrets.flat()], env: caching.env }
}

/** The user may have moved the folder of settings. */
function secretsOf(env: HomePlace['env'], home: string): readonly string[] {
  const settings = env['XDG_CONFIG_HOME']
  const moved = settings?.startsWith('/')
    ? secretPaths
        .filter(path => path.startsWith('.config/'))
        .map(path => `${settings}${path.slice('.config'.length)}`)
    : []
  return [...secretPaths.map(path => `${home}/${path}`), ...moved]
}

async function npmMounts(
  { disk }: HomePlace,
  path: string,
  folder: string,
): Promise<readonly Mount[]> {
  const real = await disk.realPath(path)
  if ((await disk.entry(real))?.kind !== 'file') return []
  const text = (await readTextIfPresent(disk, real)) ?? ''
  const from = `${folder}/npmrc`
  await disk.replaceLoosely(from, new TextEncoder().encode(withoutNpmTokens(text)))
  return [{ kind: 'readable', path: real, from }]
}

async function hidden({ disk }: HomePlace, path: string): Promise<readonly Mount[]> {
  // A link may lead to keys in another folder.
  const real = await disk.realPath(path)
  const kind = (await disk.entry(real))?.kind
  if (kind === undefined) return []
  return [{ kind: kind === 'folder' ? 'empty' : 'blank', path: real }]
}

async function cacheMounts(place: HomePlace, home: string, folder: string): Promise<HomeMounts> {
  const mounts: Mount[] = []
  const env: Record<string, string> = {}
  for (const { path, variable } of caches) {
    const own = `${folder}/caches/${path}`
    const found = await realFolder(place, `${home}/${path}`)
    if (found) {
      await place.disk.makeFolderLoosely(own)
      mounts.push({ kind: 'writable', path: found, from: own })
    } else if (variable !== undefined) env[variable] = `/tmp/${path.replace(/^\./, '')}`
    // One that the user put elsewhere is read-only there.
    if (found && variable !== undefined && place.env[variable] !== undefined) {
      env[variable] = `${home}/${path}`
    }
  }
  return { mounts, env }
}

async function realFolder({ disk }: HomePlace, path: string): Promise<string | undefined> {
  const real = await disk.realPath(path)
  return (await disk.entry(real))?.kind === 'folder' ? real : undefined
}

/**
 * A folder of its own, in which everything of the agent's folder appears. So the agent cannot add
 * settings that another run would obey.
 */
async function agentMounts(
  place: HomePlace,
  { path, variable, shared, copied }: AgentState,
  role: SandboxRole,
  folder: string,
): Promise<readonly Mount[]> {
  const { disk, files, env } = place
  const named = variable === undefined ? undefined : env[variable]
  const given = named?.startsWith('/') ? named : `${env['HOME']}/${path}`
  const real = await realFolder(place, given)
  if (real === undefined) return []
  if (role !== 'work') return [{ kind: 'empty', path: real }]
  const own = `${folder}/agents/${path}`
  await disk.makeFolderLoosely(own)
  const mounts: Mount[] = [{ kind: 'writable', path: real, from: own }]
  for (const { name } of await files.list(real)) {
    const entry = `${real}/${name}`
    const kind = (await disk.entry(await disk.realPath(entry)))?.kind
    if (kind !== 'file' && kind !== 'folder') continue
    if (copied.includes(name)) await disk.copy(entry, `${own}/${name}`)
    else mounts.push({ kind: shared.includes(name) ? 'writable' : 'readable', path: entry })
  }
  return mounts
}
