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
    // Ajv identifies compiled patterns by their text, so each needs one.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
  },
  { code: 'linearRegExp' },
)

const schemasMax = 256
const compiled = new Map<string, ValidateFunction | string>()

/** The first complaint about the value is enough to refuse it. */
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

/** A schema may refer to itself without end. A value that cannot be checked is refused. */
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

/** Many tools still use drafts from before 2019. */
const olderDraft = /^https?:\/\/json-schema\.org\/draft-0[467]\/schema#?$/

const options: Options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // `required: ["constructor"]` means an own member, and not an inherited one.
  ownProperties: true,
  code: { regExp: linearRegExp },
}

function compile(schemaText: string): ValidateFunction | string {
  const schema = JSON.parse(schemaText)
  const dialect = String(schema?.$schema)
  const older = olderDraft.test(dialect)
  // One compiler per schema, since two tools may use one `$id` for different schemas.
  const ajv = older
    ? new Ajv(options)
    : dialect.includes('/2019-09/')
      ? new Ajv2019(options)
      : new Ajv2020(options)
  try {
    // The older compiler knows the keywords of all drafts, but not all draft names.
    const validate = ajv.compile(older ? { ...schema, $schema: undefined } : schema)
    // An asynchronous validator returns a promise, which would pass as true.
    return '$async' in validate ? asynchronous : validate
  } catch (error) {
    return `cannot be checked, since the tool's inputSchema does not compile: ${String(error)}`
  }
}
