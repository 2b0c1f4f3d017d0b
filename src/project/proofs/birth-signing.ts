/**
 * Signs what premath makes, as it makes it, if the user has a key for that. The key stays in this
 * process: no command gets its path, and the sandbox hides its folder.
 */
import { printJsonLine } from '../../kernel/text/print-json.ts'
import type { SignedStatement } from '../../wire/proof/signed-statement.ts'
import { instructionIn, isStepWork } from '../authority/authority.ts'
import type { OperationContext } from '../context.ts'
import { namingSource } from '../named-document.ts'
import { keyPath, privateKeyAt } from './signing-key.ts'

export interface Signer {
  /** One line: a DSSE envelope. */
  sign(statement: SignedStatement): string
  readonly keyId: string
}

/** The key that the user named, or the one in the settings of the user; `undefined` without one. */
export async function signingKeyPath(context: OperationContext): Promise<string | undefined> {
  const { env, signingKey } = context
  if (signingKey !== undefined) return signingKey
  if (!env['XDG_CONFIG_HOME'] && !env['HOME']) return undefined
  const own = keyPath(undefined, context).replace(/ed25519\.pem$/, 'harness.pem')
  const disk = await context.disk()
  return (await disk.entry(await disk.realPath(own))) ? own : undefined
}

/** Work has no signer: it could sign what it made by itself. */
export async function signerOf(context: OperationContext): Promise<Signer | undefined> {
  if (isStepWork(context) || instructionIn({}, context) !== undefined) return undefined
  const path = await signingKeyPath(context)
  if (path === undefined) return undefined
  const key = await privateKeyAt(path, context)
  const { sign } = await context.signing()
  const envelopeOf = (text: string) => sign('application/vnd.in-toto+json', text, key)
  const [trial] = (await namingSource(path, () => envelopeOf('{}'))).signatures
  return {
    keyId: trial?.keyid ?? '',
    sign: statement => printJsonLine(envelopeOf(JSON.stringify(statement))),
  }
}
