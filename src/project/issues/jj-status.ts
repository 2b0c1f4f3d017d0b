/** Whether the project is a jj repository that jj can be used in. Looked for, never started. */
import { Fault } from '../../fault.ts'
import type { OperationContext } from '../context.ts'

export interface JjStatus {
  readonly available: boolean
  readonly error: string | null
  /** Known to jj alone. */
  readonly headChangeId: null
  readonly repoRoot: string | null
  readonly state: 'ready' | 'error' | 'unavailable'
}

const elsewhere: JjStatus = {
  available: false,
  error: null,
  headChangeId: null,
  repoRoot: null,
  state: 'unavailable',
}

/** `unavailable` where there is no repository, `error` where there is one and no jj for it. */
export async function jjStatus(folder: string, context: OperationContext): Promise<JjStatus> {
  const repoRoot = await repositoryAbove(folder, context)
  if (repoRoot === undefined) return elsewhere
  const found = { ...elsewhere, repoRoot }
  return (await isOnPath('jj', context))
    ? { ...found, available: true, state: 'ready' }
    : { ...found, error: 'there is no jj on PATH', state: 'error' }
}

async function repositoryAbove(folder: string, context: OperationContext) {
  for (let at = folder.replace(/\/+$/, ''); ; at = at.slice(0, at.lastIndexOf('/'))) {
    if ((await kindOf(`${at}/.jj`, context)) === 'folder') return at || '/'
    if (at === '') return undefined
  }
}

async function isOnPath(program: string, context: OperationContext): Promise<boolean> {
  const folders = (context.env['PATH'] ?? '').split(':').filter(folder => folder.startsWith('/'))
  for (const folder of folders) {
    if ((await kindOf(`${folder}/${program}`, context)) === 'file') return true
  }
  return false
}

/** What we may not look into is not there for us. */
async function kindOf(path: string, { files }: OperationContext) {
  try {
    return await files.kindOf(path)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
