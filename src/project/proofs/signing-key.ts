/** Finds and reads the keys for attestations. */

import { Fault } from '../../fault.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { readPlain } from '../../store/plain-file.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'

const keyBytesMax = 64 * 1024

export const keyField = {
  type: 'text',
  describe: 'The private key; without it, premath/ed25519.pem in the settings folder of the user.',
  placeholder: 'file',
  path: true,
} as const

/** The path from the flag, or the default in the settings of the user. */
export function keyPath(given: string | undefined, { cwd, env }: OperationContext): string {
  if (given !== undefined) return resolvePath(cwd(), given)
  const settings = env['XDG_CONFIG_HOME'] || (env['HOME'] && `${env['HOME']}/.config`)
  if (settings) return resolvePath(cwd(), `${settings}/premath/ed25519.pem`)
  throw new Fault('usage', 'the key has no default path: neither HOME nor XDG_CONFIG_HOME is set', {
    hint: 'Name it: --key <file>.',
  })
}

/** True for the key of the person, by whatever path it is named. */
export async function isDefaultKey(path: string, context: OperationContext): Promise<boolean> {
  const { env } = context
  if (!env['XDG_CONFIG_HOME'] && !env['HOME']) return false
  const disk = await context.disk()
  return (await disk.realPath(path)) === (await disk.realPath(keyPath(undefined, context)))
}

export const publicKeyPath = (path: string): string => `${path.replace(/\.pem$/, '')}.pub.pem`

/** Refuses a key that others can read: somebody may have copied it. */
export async function privateKeyAt(path: string, context: OperationContext): Promise<string> {
  const disk = await context.disk()
  const entry = await disk.entry(await disk.realPath(path))
  if (entry?.kind === 'file' && !entry.isPrivate) {
    throw new Fault('invalid_input', `${path} can be read or written by others`, {
      hint: `Nothing was signed. If nobody has copied it: chmod 600 ${shellWord(path)}`,
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

/** Follows links, since people often keep their settings elsewhere. */
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
