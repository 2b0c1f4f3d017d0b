/** The keys that attestations are signed by: where they lie, and who may read them. */

import { Fault } from '../../fault.ts'
import { readPlain } from '../../store/plain-file.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'

/** A key is a few lines. */
const keyBytesMax = 64 * 1024

export const keyField = {
  type: 'text',
  describe: 'The private key; without it, premath/ed25519.pem where settings lie.',
  placeholder: 'file',
  path: true,
} as const

/** The given path, or the default in the user's configuration. */
export function keyPath(given: string | undefined, { cwd, env }: OperationContext): string {
  if (given !== undefined) return resolvePath(cwd(), given)
  const settings = env['XDG_CONFIG_HOME'] || (env['HOME'] && `${env['HOME']}/.config`)
  if (settings) return resolvePath(cwd(), `${settings}/premath/ed25519.pem`)
  throw new Fault('usage', 'neither HOME nor XDG_CONFIG_HOME says where the key is', {
    hint: 'Name it: --key <file>.',
  })
}

export const publicKeyPath = (path: string): string => `${path.replace(/\.pem$/, '')}.pub.pem`

/** A key that others can read may have been copied and is refused. */
export async function privateKeyAt(path: string, context: OperationContext): Promise<string> {
  const disk = await context.disk()
  const entry = await disk.entry(await disk.realPath(path))
  if (entry?.kind === 'file' && !entry.isPrivate) {
    throw new Fault('invalid_input', `${path} can be read or written by others`, {
      hint: `Nothing was signed. If nobody has read it: chmod 600 ${path}`,
      detail: { path },
    })
  }
  return await keyText(path, context, 'premath witness keygen makes one.')
}

export const publicKeyAt = (given: string, context: OperationContext): Promise<string> =>
  keyText(
    resolvePath(context.cwd(), given),
    context,
    'premath witness keygen leaves one beside the private key.',
  )

/** Links are followed: settings are often kept elsewhere. */
async function keyText(path: string, context: OperationContext, hint: string): Promise<string> {
  const disk = await context.disk()
  const real = await disk.realPath(path)
  const read = await readPlain(real, { root: real, disk }, keyBytesMax)
  if ('text' in read) return read.text
  throw new Fault('invalid_input', `the key ${path} cannot be read: ${read.why}`, {
    hint,
    detail: { path },
  })
}
