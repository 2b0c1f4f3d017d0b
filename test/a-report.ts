/** Readers of reports, as strict as the programs that consume them. Malformed input throws. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { SaxesParser } from 'saxes'
import { type FinalResults, Parser, type Result } from 'tap-parser'
import { validateXML } from 'xmllint-wasm'

export interface XmlNode {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlNode[]
  /** All text of the node, including its children. */
  text: string
}

export function readXml(source: string): XmlNode {
  const parser = new SaxesParser()
  const root: XmlNode = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const add = (text: string) => {
    for (const node of open) node.text += text
  }
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const node: XmlNode = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(node)
    open.push(node)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', add)
  parser.on('cdata', add)
  parser.write(source).close()
  return root
}

/** Every node of that name, in order. */
export function allOf(node: XmlNode, name: string): readonly XmlNode[] {
  return node.children.flatMap(one => [...(one.name === name ? [one] : []), ...allOf(one, name)])
}

export interface TapPoint {
  readonly ok: boolean
  readonly description: string
  readonly skip: string | undefined
  readonly more: Readonly<Record<string, unknown>>
}

/** Reads TAP with a foreign parser in strict mode: a line that it does not know throws. */
export function readTap(source: string): readonly TapPoint[] {
  const points: TapPoint[] = []
  for (const [event, value] of Parser.parse(source, { strict: true })) {
    if (event === 'assert') points.push(tapPoint(value))
    else if (event === 'complete') mustBeWhole(value)
    else if (!tapEvents.includes(event)) throw new Error(`${event}: ${JSON.stringify(value)}`)
  }
  return points
}

/** A version, a plan, and nothing that a strict reader does not know. */
const tapEvents = ['version', 'plan', 'finish', 'close']

function mustBeWhole({ failures, count, plan }: FinalResults): void {
  const broken = failures.filter(({ tapError }) => tapError)
  if (broken.length > 0) throw new Error(JSON.stringify(broken))
  if ((plan.end ?? 0) !== count) throw new Error(`planned ${plan.end}, found ${count}`)
}

/** The parser takes the duration out of the diagnostics. */
const tapPoint = ({ ok, name, skip, diag, time }: Result): TapPoint => ({
  ok,
  description: name,
  skip: typeof skip === 'string' ? skip : undefined,
  more: { ...diag, ...(time !== null && { duration_ms: time }) },
})

export interface WorkflowCommand {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly message: string
}

/** Reads a log like GitHub's runner, and refuses any other line. */
export function readWorkflow(source: string): readonly WorkflowCommand[] {
  return source
    .split(/\r\n|\r|\n/)
    .filter(line => line !== '')
    .map(line => {
      const found = /^::(error|warning|notice) ([^:]*)::(.*)$/.exec(line)
      if (found === null) throw new Error(`no command: ${line}`)
      const [, name = '', given = '', message = ''] = found
      const pairs = given.split(',').map(pair => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), unescaped(pair.slice(at + 1))]
      })
      return { name, properties: Object.fromEntries(pairs), message: unescaped(message) }
    })
}

const signs: Readonly<Record<string, string>> = {
  '%25': '%',
  '%0A': '\n',
  '%0D': '\r',
  '%3A': ':',
  '%2C': ',',
}

const unescaped = (text: string) => text.replace(/%(25|0A|0D|3A|2C)/g, sign => signs[sign] ?? sign)

/** The formats that the schemas name. */
const formats = {
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  uri: (text: string) => URL.canParse(text),
  'uri-reference': /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})*$/,
}

const schemaNamed = (name: string) =>
  JSON.parse(readFileSync(`test/schemas/${name}.schema.json`, 'utf8'))

const valid = {
  ctrf: new Ajv({ strict: false, formats }).compile(schemaNamed('ctrf')),
  sarif: new Ajv2020({ strict: false, formats }).compile(schemaNamed('sarif')),
}

/** The violations of its schema. */
export function schemaErrors(name: 'ctrf' | 'sarif', value: unknown): readonly string[] {
  valid[name](value)
  return (valid[name].errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const junitSchema = readFileSync('test/schemas/junit-10.xsd', 'utf8')

/** The violations of the XML Schema, found by libxml2. */
export async function junitErrors(source: string): Promise<readonly string[]> {
  const { errors } = await validateXML({ xml: source, schema: junitSchema })
  return errors.map(({ rawMessage }) => rawMessage)
}
