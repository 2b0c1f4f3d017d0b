/** Reads the input documents of the commands for required checks. */
import { textField } from '../../field.ts'
import type { InstructionClass } from '../../kernel/instruction/instruction-classes.ts'
import type { Member } from '../../kernel/instruction/instruction-field.ts'
import { isGiven, textOf, textsOf } from '../../kernel/instruction/instruction-field.ts'
import {
  allRead,
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { isSafePath } from '../../kernel/required/gate-ref.ts'
import { gatesOf, type PayloadOf, UnusablePayload } from '../../kernel/required/verify-gates.ts'
import type { OperationContext } from '../context.ts'
import { sourceName } from '../named-document.ts'
import { openProject } from '../open.ts'
import { isWithin, resolvePath } from '../paths.ts'
import { witnessBytesMax } from '../proofs/witness-file.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

const documentField = (describe: string) =>
  textField('file', `${describe}; - reads stdin.`, { required: true, path: true, document: true })

export const inputField = (describe: string) => ({ input: documentField(describe) }) as const
export const runtimeField = (describe: string) => ({ runtime: documentField(describe) }) as const

/** The JSON object in a file, or a refusal of this class. */
export async function requiredInput(
  path: string,
  failureClass: InstructionClass,
  context: OperationContext,
): Promise<JsonObject | InstructionRefusal> {
  const document = await smallDocument(path, context, witnessBytesMax)
  const source = sourceName(path)
  if (document instanceof Unreadable) return refused(failureClass, `${source}: ${document.why}`)
  return isJsonObject(document) ? document : refused(failureClass, `${source} is not an object`)
}

/** The parts that `required-witness-verify` and `required-witness-decide` share. */
export async function witnessInput(
  input: JsonObject,
  failureClass: InstructionClass,
  context: OperationContext,
) {
  const bad = (why: string) => refused(failureClass, why)
  const member = (at: string): Member => ({ at, failureClass })
  const { witness } = input
  if (!isJsonObject(witness)) return bad('witness is missing or not an object')
  const asked = allRead({
    nativeRequiredChecks: isGiven(input, 'nativeRequiredChecks')
      ? textsOf(input['nativeRequiredChecks'], member('nativeRequiredChecks'))
      : [],
    witnessRoot: isGiven(input, 'witnessRoot')
      ? textOf(input['witnessRoot'], member('witnessRoot'))
      : '',
  })
  if (isRefused(asked)) return asked
  const payloads = input['gateWitnessPayloads']
  if (payloads !== undefined && !isJsonObject(payloads)) {
    return bad('gateWitnessPayloads is not an object')
  }
  const { nativeRequiredChecks, witnessRoot } = asked
  const root = resolvePath(context.cwd(), witnessRoot)
  // An agent does not choose files of the machine to read.
  if (context.surface === 'mcp' && !isWithin(root, (await openProject(context)).root)) {
    return bad('witnessRoot is not in the project')
  }
  const payloadOf = payloads
    ? inlinePayloads(payloads)
    : witnessRoot === ''
      ? () => undefined
      : await payloadFiles(witness, root, context)
  return { witness, nativeRequiredChecks, payloadOf }
}

/** By the path of the witness, or by the check. */
const inlinePayloads =
  (payloads: JsonObject): PayloadOf =>
  ({ artifactRelPath, checkId }) =>
    payloads[artifactRelPath] ??
    payloads[checkId] ??
    new UnusablePayload(`gateWitnessPayloads lacks ${artifactRelPath}`)

/** Reads the gate witnesses that a witness refers to from the files below a folder. */
export async function payloadFiles(
  witness: JsonObject,
  root: string,
  context: OperationContext,
): Promise<PayloadOf> {
  const found = new Map<string, Json | UnusablePayload>()
  const disk = await context.disk()
  const realRoot = await disk.realPath(root)
  for (const { artifactRelPath } of gatesOf(witness) ?? []) {
    if (!isSafePath(artifactRelPath)) continue
    const path = `${root}/${artifactRelPath}`
    const isInside = isWithin(await disk.realPath(path), realRoot)
    const document = isInside
      ? await smallDocument(path, context, witnessBytesMax)
      : new Unreadable('it leaves the folder through a symbolic link')
    const isUnreadable = document instanceof Unreadable
    found.set(artifactRelPath, isUnreadable ? new UnusablePayload(document.why) : document)
  }
  return ({ artifactRelPath }) =>
    found.get(artifactRelPath) ?? new UnusablePayload(`${artifactRelPath} was not read`)
}
