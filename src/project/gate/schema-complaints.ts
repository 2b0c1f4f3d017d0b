/** Checks a tool's arguments against its JSON Schema. Loaded only when a turn brings a schema. */
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { canonicalJson } from '../../kernel/canonical.ts'
import type { Json } from '../../kernel/json.ts'
import { tooCostly } from './schema-cost.ts'

/** Schemas come with the evidence, so patterns run in linear time and cannot hang the gate. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    // Ajv tells compiled patterns apart by their text: without one, all would be the first.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
  },
  { code: 'linearRegExp' },
)

const schemasMax = 256
const compiled = new Map<string, ValidateFunction | string>()

/** The first violation of the value. */
export function schemaComplaints(schema: Json, value: Json): readonly string[] {
  const schemaText = canonicalJson(schema)
  const plain = JSON.parse(canonicalJson(value))
  const costly = tooCostly(JSON.parse(schemaText), plain)
  if (costly !== undefined) return [`cannot be checked: ${costly}`]
  const validate = validatorOf(schemaText)
  if (typeof validate === 'string') return [validate]
  if (complies(validate, plain)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => {
    const place = instancePath === '' ? 'the arguments' : instancePath.slice(1).replaceAll('/', '.')
    return `${place} ${message ?? 'break the schema of the tool'}`
  })
}

/** A schema can refer to itself without end; a value it cannot be held against does not comply. */
function complies(validate: ValidateFunction, value: unknown): boolean {
  try {
    return validate(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    validate.errors = [{ ...endless }]
    return false
  }
}

const endless = {
  instancePath: '',
  keyword: '$ref',
  message: 'cannot be checked, since the schema of the tool refers to itself without end',
  params: {},
  schemaPath: '',
}

function validatorOf(schemaText: string): ValidateFunction | string {
  const known = compiled.get(schemaText)
  if (known !== undefined) return known
  if (compiled.size >= schemasMax) compiled.clear()
  const made = compile(schemaText)
  compiled.set(schemaText, made)
  return made
}

const asynchronous = "cannot be checked, since the tool's inputSchema is asynchronous"

/** Tools of many years write their schemas in drafts before 2019. */
const olderDraft = /^https?:\/\/json-schema\.org\/draft-0[467]\/schema#?$/

const options: Options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // `required: ["constructor"]` asks for a member, not for what every object inherits.
  ownProperties: true,
  code: { regExp: linearRegExp },
}

function compile(schemaText: string): ValidateFunction | string {
  const schema = JSON.parse(schemaText)
  const dialect = String(schema?.$schema)
  const older = olderDraft.test(dialect)
  // One compiler a schema: two tools may use one `$id` for different things.
  const ajv = older
    ? new Ajv(options)
    : dialect.includes('/2019-09/')
      ? new Ajv2019(options)
      : new Ajv2020(options)
  try {
    // The older compiler knows the drafts' keywords, not all of their names.
    const validate = ajv.compile(older ? { ...schema, $schema: undefined } : schema)
    // An asynchronous validator answers with a promise, which would look like a yes.
    return '$async' in validate ? asynchronous : validate
  } catch (error) {
    return `cannot be checked, since the tool's inputSchema does not compile: ${String(error)}`
  }
}
