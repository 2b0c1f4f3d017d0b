/** Reads arguments in JSON by the fields of an operation. */
import { Fault } from '../fault.ts'
import { absentValue, type Field, type Fields, type InputOf } from '../field.ts'
import { prettyJson } from '../kernel/canonical.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import { nearest } from '../kernel/text/nearest.ts'
import type { OperationContext } from '../project/context.ts'
import { sentPath } from '../project/named-document.ts'
import { openProject } from '../project/open.ts'
import { isWithin, resolvePath } from '../project/paths.ts'

/** How a caller names the fields. */
export interface CallNames {
  /** By field: the name that is advertised. The name of the field is taken too. */
  readonly names?: Readonly<Record<string, string>>
  /** Input that the caller cannot set. */
  readonly fixed?: JsonObject
}

interface Taker {
  readonly command: string
  readonly fields: Fields
  readonly names: CallNames
}

interface ReadArguments {
  readonly input: InputOf<Fields>
  readonly documents: ReadonlyMap<string, Uint8Array>
}

export async function readArguments(
  taker: Taker,
  args: JsonObject,
  context: OperationContext,
): Promise<ReadArguments> {
  const given = byField(taker, args)
  const documents = new Map<string, Uint8Array>()
  const input: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(taker.fields)) {
    const value = given.get(name)
    if (value === undefined || value === null) {
      input[name] = absent(taker, name, field)
      continue
    }
    input[name] = isDocument(field, value)
      ? keep(name, value, documents)
      : fieldValue(taker, name, field, value)
    if (isPath(field)) await mustLieInside(taker, name, input[name], documents, context)
  }
  return { input: input as InputOf<Fields>, documents }
}

/** The values by field, whichever of its names the caller used. */
function byField({ command, fields, names: { names = {}, fixed = {} } }: Taker, args: JsonObject) {
  const known = new Map<string, string>()
  for (const [name, { also = [] }] of Object.entries(fields)) {
    for (const written of [name, names[name] ?? name, ...also]) known.set(joined(written), name)
  }
  const given = new Map<string, Json>()
  for (const [written, value] of Object.entries(args)) {
    const name = known.get(joined(written))
    if (name === undefined || Object.hasOwn(fixed, name)) throw unknown(command, written, known)
    if (given.has(name)) throw usage(command, `${written} was given twice`)
    given.set(name, value)
  }
  for (const [name, value] of Object.entries(fixed)) given.set(name, value)
  return given
}

/** `issueId`, `issue_id` and `issue-id` are one name. */
const joined = (name: string) => name.replaceAll(/[-_]/g, '').toLowerCase()

function unknown(command: string, written: string, known: ReadonlyMap<string, string>): Fault {
  const meant = nearest(joined(written), [...known.keys()])
  const name = meant === undefined ? undefined : known.get(meant)
  return usage(command, `unknown argument ${JSON.stringify(written)}`, {
    hint: name ? `did you mean ${name}?` : `it takes ${[...new Set(known.values())].join(', ')}`,
  })
}

const isDocument = (field: Field, value: Json): boolean =>
  field.type === 'text' && field.document === true && typeof value === 'object'

function keep(name: string, value: Json, documents: Map<string, Uint8Array>): string {
  const path = sentPath(name)
  documents.set(path, new TextEncoder().encode(prettyJson(value)))
  return path
}

function absent({ command, names: { names = {} } }: Taker, name: string, field: Field) {
  if (field.type !== 'flag' && field.required) {
    throw usage(command, `${names[name] ?? name} is missing`)
  }
  return absentValue(field)
}

function fieldValue(taker: Taker, name: string, field: Field, value: Json) {
  if (field.type === 'flag' || !field.many) return oneValue(taker, name, field, value)
  const list = Array.isArray(value) ? value : [value]
  return list.map(item => oneValue(taker, name, field, item))
}

function oneValue(taker: Taker, name: string, field: Field, value: Json) {
  const { command } = taker
  const shown = taker.names.names?.[name] ?? name
  const wrong = (hint: string) =>
    usage(command, `${shown} cannot be ${brief(JSON.stringify(value))}`, { hint })
  switch (field.type) {
    case 'flag':
      if (typeof value !== 'boolean') throw wrong('it is true or false')
      return value
    case 'count':
      if (!Number.isSafeInteger(value) || Number(value) < 0) throw wrong('it is a whole number')
      return value
    case 'number':
      if (typeof value !== 'number' || value < 0) throw wrong('it is a number, and not negative')
      return value
    case 'choice':
      if (typeof value !== 'string' || !field.values.includes(value)) {
        throw wrong(`it is one of ${field.values.join(', ')}`)
      }
      return value
    case 'text':
      if (typeof value !== 'string') throw wrong('it is a text')
      return value
  }
}

const brief = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

const isPath = (field: Field) => field.type === 'text' && field.path === true

/** Somebody who can call a tool may have no right to other files of the user. */
async function mustLieInside(
  { command }: Taker,
  name: string,
  value: unknown,
  documents: ReadonlyMap<string, Uint8Array>,
  context: OperationContext,
): Promise<void> {
  const paths = (Array.isArray(value) ? value : [value]).filter(path => !documents.has(path))
  if (paths.length === 0) return
  const { root, disk: openDisk } = await openProject(context)
  const disk = await openDisk()
  const realRoot = await disk.realPath(root)
  for (const path of paths) {
    const real = await disk.realPath(resolvePath(context.cwd(), String(path)))
    const shown = `${name} names ${brief(String(path))}`
    if (String(path) === '-' || !isWithin(real, realRoot)) {
      const hint = `Name a path below ${root}.`
      throw usage(command, `${shown}, which is not in the project`, { hint })
    }
    // Opening a pipe waits for somebody who writes to it, and every later call with it.
    if ((await disk.entry(real))?.kind === 'other') {
      throw usage(command, `${shown}, which is a device or a pipe`, { hint: 'Name a file.' })
    }
  }
}

function usage(command: string, message: string, options: { readonly hint?: string } = {}): Fault {
  const hint = `premath help ${command} shows what it takes`
  return new Fault('usage', `${command}: ${message}`, { hint, ...options })
}
