/** Reads the inputs of a relocation: bounded in size, validated by schema, never executed. */
import { Fault } from '../../fault.ts'
import { Flaw, shaped } from '../../kernel/artifact/flaw.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import type { ArrivedRelocation } from '../../kernel/harness/relocation/relocation-check.ts'
import { Relocation } from '../../wire/relocation/relocation.ts'
import type { OperationContext } from '../context.ts'
import { absolute, standardInput } from '../named-document.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

export async function arrivedRelocation(
  path: string,
  context: OperationContext,
): Promise<ArrivedRelocation> {
  if (await isNoFile(path, context)) throw unusable(path, 'it is not a plain file')
  const document = await smallDocument(path, context)
  if (document instanceof Unreadable) throw unusable(path, document.why)
  const text = canonicalJson(document)
  const relocation = shaped(Relocation, JSON.parse(text))
  if (relocation instanceof Flaw) throw unusable(path, String(relocation))
  const digest = context.sha256(text)
  return { relocation, digest, name: path.slice(path.lastIndexOf('/') + 1) }
}

/** Reading a pipe without a writer would block until the transport times out. */
async function isNoFile(path: string, context: OperationContext): Promise<boolean> {
  if (path === standardInput) return true
  const disk = await context.disk()
  const entry = await disk.entry(await disk.realPath(absolute(path, context)))
  return entry?.kind === 'other'
}

const unusable = (path: string, why: string) =>
  new Fault('invalid_input', `${path} is not valid as the inputs of a relocation: ${why}`, {
    hint: 'A step writes the inputs below artifacts/relocations/ and passes the path to its transport in PREMATH_RELOCATION.',
    detail: { path },
  })
