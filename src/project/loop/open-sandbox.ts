/** Opens the sandbox of a run: looks for bubblewrap and tries it with the arguments of real work. */
import type { Harness } from '../../harness/harness.ts'
import {
  reachable,
  Sandbox,
  type SandboxPlace,
  type SandboxState,
  sandboxMissing,
} from '../../harness/sandbox/sandbox.ts'
import { StepFolder } from '../../harness/step/step-folder.ts'
import type { Config } from '../../wire/config/config.ts'
import type { Project } from '../open.ts'
import { signingKeyPath } from '../proofs/birth-signing.ts'

export interface SandboxInput {
  readonly sandbox?: Config['sandbox'] | undefined
}

/** Runs `act` with the sandbox that the flag or the configuration asks for. */
export async function withSandbox<T>(
  harness: Harness,
  input: SandboxInput,
  project: Project,
  act: (harness: Harness) => Promise<T>,
): Promise<T> {
  const folder = new StepFolder(harness, `${harness.workerId}.boot`)
  const sandbox = await sandboxOf(harness, { folder }, input, project)
  try {
    return await act({ ...harness, sandbox })
  } finally {
    if (sandbox.mode === 'bubblewrap') await sandbox.sandbox.tidy(harness.disk)
  }
}

interface SandboxNeeds {
  /** Holds what the trial of the sandbox writes. */
  readonly folder: StepFolder
  /** Read-only places that the commands need, beside this program. */
  readonly readable?: readonly string[]
}

/** The sandbox that the flag or the configuration asks for. */
export async function sandboxOf(
  place: SandboxPlace,
  needs: SandboxNeeds,
  input: SandboxInput,
  project: Project,
): Promise<SandboxState> {
  const { config } = await project.config()
  const mode = input.sandbox ?? config.sandbox
  if (mode === 'off') return { mode: 'off', why: 'the sandbox is off' }
  const sandbox = await openSandbox(place, needs, config, project)
  if (sandbox.mode === 'off' && mode === 'require') throw sandboxMissing(sandbox.why)
  return sandbox
}

async function openSandbox(
  place: SandboxPlace,
  { folder, readable = [] }: SandboxNeeds,
  { network, sandboxWritable }: Config,
  project: Project,
): Promise<SandboxState> {
  const program = await programPath('bwrap', place)
  if (program === undefined) return { mode: 'off', why: 'bwrap of bubblewrap is not on PATH' }
  const sandbox = new Sandbox({
    files: project.files,
    program,
    network,
    writable: sandboxWritable,
    signingKey: await signingKeyPath(project),
    needed: [project.packageFolder(), modulesOf(project), project.nodePath(), ...readable],
  })
  const why = await sandbox.failure(place, folder)
  return why === undefined ? { mode: 'bubblewrap', sandbox } : { mode: 'off', why }
}

/** Package managers link packages from another place. */
const modulesOf = ({ packageFolder }: Project) => `${packageFolder()}/node_modules`

/** A relative entry of PATH would be looked for in the files of the work. */
export async function programPath(
  name: string,
  { env, disk }: Pick<SandboxPlace, 'env' | 'disk'>,
): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(':')) {
    if (!folder.startsWith('/')) continue
    const path = await reachable(disk, `${folder}/${name}`)
    const entry = path === undefined ? undefined : await disk.entry(path)
    if (entry?.kind === 'file' && entry.isExecutable) return path
  }
  return undefined
}

/** Says that commands can change everything that the user can. */
export const sandboxNote = ({
  sandbox,
}: {
  readonly sandbox?: SandboxState | undefined
}): string | undefined => (sandbox?.mode === 'off' ? `not sandboxed: ${sandbox.why}` : undefined)
