/** The body of a request, in one of several spellings. */
import type { ShapeProblem } from '../case/check-shape.ts'
import type { Keys, ValueShape } from '../case/key-shape.ts'
import { mappingIn } from '../case/requires.ts'
import { type ContractPath, contractPath } from '../contract-path.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { formBody } from './form-encoding.ts'
import { type Header, jsonText, pairsIn, textOf } from './http-text.ts'

type Mapping = ReadonlyMap<string, SpecValue>

/** Text, or several texts under one name. */
export const fieldValues: ValueShape = { either: ['scalar', { list: 'scalar' }] }

const part: ValueShape = {
  mapping: {
    text: { is: 'scalar', describe: 'The content as text.' },
    file: { is: 'name', describe: 'A file in the contract root with the content.' },
    filename: { is: 'name', describe: 'The file name to send; default the name of the file.' },
    content_type: {
      is: 'name',
      describe: 'The type of the content; default application/octet-stream for a file.',
    },
  },
}

export const bodyKeys: Keys = {
  body_text: { is: 'text', describe: 'The body as text.' },
  body_json: {
    is: 'any',
    describe: 'The body as JSON. Sets Content-Type to application/json unless headers do.',
  },
  body_file: { is: 'name', describe: 'A file in the contract root with the body.' },
  form: {
    is: { mappingOf: fieldValues },
    describe: 'The fields of a form, sent as application/x-www-form-urlencoded.',
  },
  multipart: {
    is: { mappingOf: { either: ['scalar', part, { list: { either: ['scalar', part] } }] } },
    describe: 'The fields of a form with files, sent as multipart/form-data.',
  },
}

/** Text, or a file of the contract root. */
export type Content = { readonly text: string } | { readonly file: ContractPath }

export interface MultipartPart {
  readonly name: string
  readonly filename: string | undefined
  readonly contentType: string | undefined
  readonly content: Content
}

export type RequestBody =
  | Content
  /** The boundary follows from the content. */
  | { readonly parts: readonly MultipartPart[] }

export function requestBody(value: Mapping): RequestBody | undefined {
  const text = value.get('body_text')
  if (typeof text === 'string') return { text }
  const json = value.get('body_json')
  if (json !== undefined) return { text: jsonText(json) }
  const file = value.get('body_file')
  if (typeof file === 'string') return fileContent(file)
  if (value.has('form')) return { text: formBody(pairsIn(mappingIn(value, 'form'))) }
  if (!value.has('multipart')) return undefined
  const parts = [...mappingIn(value, 'multipart')].flatMap(([name, one]) =>
    (isList(one) ? one : [one]).map(item => partOf(name, item)),
  )
  return { parts }
}

/** Bodies of several parts have a header that names their boundary. */
export function bodyHeaders(value: Mapping): readonly Header[] {
  if (value.has('body_json')) return [['Content-Type', 'application/json']]
  return value.has('form') ? [['Content-Type', 'application/x-www-form-urlencoded']] : []
}

/** Refused paths were reported before. */
function fileContent(path: string): Content {
  const read = contractPath(path)
  return { file: 'path' in read ? read.path : '/' }
}

function partOf(name: string, value: SpecValue): MultipartPart {
  if (!isMapping(value)) {
    return { name, filename: undefined, contentType: undefined, content: { text: textOf(value) } }
  }
  const text = (key: string) => {
    const found = value.get(key)
    return typeof found === 'string' ? found.trim() : undefined
  }
  const file = text('file')
  if (file === undefined) {
    const content = { text: textOf(value.get('text')) }
    return { name, filename: text('filename'), contentType: text('content_type'), content }
  }
  return {
    name,
    filename: text('filename') ?? file.slice(file.lastIndexOf('/') + 1),
    contentType: text('content_type') ?? 'application/octet-stream',
    content: fileContent(file),
  }
}

/** The lines before the content of a part. */
export function partHead({ name, filename, contentType }: MultipartPart): string {
  const file = filename === undefined ? '' : `; filename="${escaped(filename)}"`
  const type = contentType === undefined ? '' : `\r\nContent-Type: ${contentType}`
  return `Content-Disposition: form-data; name="${escaped(name)}"${file}${type}\r\n\r\n`
}

/** As browsers do. A line break would start another header. */
const escaped = (text: string) =>
  text.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')

/** Files of the contract root that the request sends, with the path of their key. */
export function filesIn(value: Mapping, at: string): readonly { path: string; at: string }[] {
  const own = value.get('body_file')
  const parts = [...mappingIn(value, 'multipart')].flatMap(([name, one]) =>
    (isList(one) ? one : [one]).flatMap(item => {
      const file = isMapping(item) ? item.get('file') : undefined
      return typeof file === 'string' ? [{ path: file, at: `${at}.multipart.${name}` }] : []
    }),
  )
  return [...(typeof own === 'string' ? [{ path: own, at: `${at}.body_file` }] : []), ...parts]
}

/** Mistakes in the body of a request. */
export function bodyFlaws(value: Mapping, at: string): readonly ShapeProblem[] {
  return [...countFlaws(value, at), ...pathFlaws(value, at), ...partFlaws(value, at)]
}

const flaw = (path: string, message: string, hint: string): ShapeProblem => ({
  path,
  code: 'case.value',
  message,
  hint,
})

function countFlaws(value: Mapping, at: string): readonly ShapeProblem[] {
  const [first, second] = Object.keys(bodyKeys).filter(key => value.has(key))
  if (second === undefined) return []
  const message = `${at} has ${first} and ${second}, but a request has one body`
  return [flaw(`${at}.${second}`, message, `Remove ${first} or ${second}.`)]
}

function pathFlaws(value: Mapping, at: string): readonly ShapeProblem[] {
  return filesIn(value, at).flatMap(({ path, at: key }) => {
    const read = path.includes('{{') ? { path } : contractPath(path)
    if ('path' in read) return []
    const hint = 'Name a file below the contract root, such as /fixtures/photo.png.'
    return [flaw(key, `${key} ${read.refused}`, hint)]
  })
}

function partFlaws(value: Mapping, at: string): readonly ShapeProblem[] {
  const hasType = [...mappingIn(value, 'headers').keys()].some(
    name => name.trim().toLowerCase() === 'content-type',
  )
  const parts = [...mappingIn(value, 'multipart')].flatMap(([name, one]) =>
    (isList(one) ? one : [one]).map(item => [`${at}.multipart.${name}`, item] as const),
  )
  return [
    ...(parts.length > 0 && hasType
      ? [
          flaw(
            `${at}.headers`,
            `${at}.multipart sets Content-Type itself, with its boundary`,
            'Remove the header.',
          ),
        ]
      : []),
    ...parts.flatMap(([key, item]) => {
      if (!isMapping(item)) return []
      if (item.has('text') === item.has('file')) {
        return [flaw(key, `${key} must have one of text and file`, 'Write text or file.')]
      }
      const type = item.get('content_type')
      return typeof type === 'string' && !/^[\x20-\x7e]+$/.test(type)
        ? [flaw(key, `${key}.content_type contains a character that it cannot have`, 'Change it.')]
        : []
    }),
  ]
}
