/** Readers of reports, as strict as the programs that consume them. Malformed input throws. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { SaxesParser } from 'saxes'
import { parse } from 'yaml'

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

/** Reads TAP 14 documents without subtests. */
export function readTap(source: string): readonly TapPoint[] {
  const [version, plan = '', ...lines] = source.split('\n')
  if (version !== 'TAP version 14') throw new Error(`no version: ${version}`)
  const points: TapPoint[] = []
  let block: string[] | undefined
  for (const line of lines) {
    if (block) {
      if (line !== '  ...') block.push(line)
      else {
        points.push({ ...(points.pop() as TapPoint), more: parse(block.join('\n')) })
        block = undefined
      }
    } else if (line === '  ---') block = []
    else if (line !== '') points.push(tapPoint(line, points.length + 1))
  }
  if (block) throw new Error('a block has no end')
  const planned = Number(/^1\.\.(\d+)( # SKIP .*)?$/.exec(plan)?.[1])
  if (planned !== points.length) throw new Error(`planned ${planned}, found ${points.length}`)
  return points
}

function tapPoint(line: string, number: number): TapPoint {
  const found = /^(not )?ok (\d+) - ((?:[^\\#]|\\[\\#])*)(?: # SKIP (.*))?$/.exec(line)
  if (found === null || Number(found[2]) !== number) throw new Error(`no test point: ${line}`)
  const [, not, , description = '', skip] = found
  return {
    ok: not === undefined,
    description: description.replace(/\\(.)/g, '$1').trimEnd(),
    skip,
    more: {},
  }
}

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

const validator = (name: string) =>
  new Ajv({ strict: false }).compile(
    JSON.parse(readFileSync(`test/schemas/${name}.schema.json`, 'utf8')),
  )

const valid = { ctrf: validator('ctrf'), sarif: validator('sarif') }

/** The violations of its schema. */
export function schemaErrors(name: 'ctrf' | 'sarif', value: unknown): readonly string[] {
  valid[name](value)
  return (valid[name].errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
