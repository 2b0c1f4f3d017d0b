/** Makes a case of a curl command line. Sends the request once, to learn its status. */
import { Fault } from '../fault.ts'
import { isSubjectError } from '../kernel/spec/assert/subject.ts'
import { curlCase, withFiles } from '../kernel/spec/author/curl-case.ts'
import { fenced, withCaseAdded } from '../kernel/spec/author/recorded-case.ts'
import { isError, type RawCase } from '../kernel/spec/document/raw-case.ts'
import { type CurlRequest, curlRequest } from '../kernel/spec/http/curl-command.ts'
import { type CurlVariable, curlValue, withReferences } from '../kernel/spec/http/curl-variables.ts'
import type { OperationContext } from '../project/context.ts'
import {
  namingSource,
  readDocument as readText,
  sourceName,
  standardInput,
} from '../project/named-document.ts'
import { ownOffer, runSpecs } from '../project/specs/outcomes.ts'
import type { SpecInput } from '../project/specs/spec-input.ts'
import { pathBelow } from '../runner/contract-roots.ts'
import type { Observation } from '../runner/observation.ts'
import { absolutePath } from '../runner/runner-world.ts'
import {
  type CreateInput,
  type Home,
  homeOf,
  idOf,
  keepCase,
  lastCase,
  titleOf,
} from './spec-recording.ts'

export interface CurlReport {
  readonly action: 'spec.create'
  readonly result: 'accepted'
  readonly id: string
  /** The document it was added to; null if only printed. */
  readonly file: string | null
  readonly line: number | null
  readonly block: string
  /** The status of the answer; null if there is none. */
  readonly status: number | null
  /** Why there is no status. */
  readonly notSent: string | null
  /** The variables that a run of the case needs. */
  readonly variables: readonly { readonly name: string; readonly isSecret: boolean }[]
}

export async function caseFromCurl(
  input: CreateInput,
  context: OperationContext,
): Promise<{ readonly output: CurlReport; readonly message: string | undefined }> {
  const line = await lineOf(input, context)
  const home = await homeOf(input, context)
  const request = withFiles(readLine(line), path => fileBelow(path, home, context))
  const words = [request.method, shortUrl(request.url)] as const
  const id = idOf(input.id, words, home)
  const named = { id, title: input.title ?? titleOf(words), request }
  const seen = await answerTo(curlCase(named), named.request, { home, id, input }, context)
  const block = curlCase(named, seen.status)
  const text = withCaseAdded(home.before, home.file, id, block)
  const { raw } = await lastCase(text, home, id, context)
  const { file, line: writtenLine } = await keepCase(text, { raw }, { input, home }, context)
  const output: CurlReport = {
    action: 'spec.create',
    result: 'accepted',
    id,
    file,
    line: writtenLine,
    block: fenced(block),
    status: seen.status ?? null,
    notSent: seen.why ?? null,
    variables: [...request.variables].map(([name, { isSecret }]) => ({ name, isSecret })),
  }
  return { output, message: messageOf(request, seen, input) }
}

async function lineOf(
  { fromCurl, command, stdin, env, console }: CreateInput,
  context: OperationContext,
): Promise<string> {
  if (fromCurl === undefined) {
    throw new Fault('usage', '--no-send needs --from-curl', { hint: 'Pass a curl line too.' })
  }
  if (command.length > 0 || stdin !== undefined || env.length > 0 || console) {
    throw new Fault('usage', '--from-curl takes no command, --stdin, --env or --console', {
      hint: 'Use either --from-curl or a command after --.',
    })
  }
  if (fromCurl !== standardInput) return fromCurl
  return await namingSource(sourceName(fromCurl), () => readText(fromCurl, context))
}

function readLine(line: string): CurlRequest {
  const request = curlRequest(line)
  if (!('refused' in request)) return request
  const { refused, hint } = request
  throw new Fault('usage', `--from-curl: ${refused}`, { hint })
}

/** curl reads files from the working folder, a case from the contract root. */
function fileBelow(path: string, { root }: Home, context: OperationContext): string {
  if (path.includes('{{')) return path
  const found = pathBelow(root || '/', absolutePath(path, context))
  if (found !== undefined) return found
  throw new Fault('invalid_input', `${path} lies outside the contract root ${root || '/'}`, {
    hint: 'Copy the file into it, or pass a root that contains it: --root <folder>.',
  })
}

/** Without its scheme, its query and the braces of variables. */
const shortUrl = (url: string) =>
  withReferences(url, name => name).replace(/^[a-z]+:\/\/|[?#].*$/gis, '')

interface Answered {
  readonly status: number | undefined
  /** Why there is no status. */
  readonly why?: string
}

interface Place {
  readonly home: Home
  readonly id: string
  readonly input: CreateInput
}

/** Sends the request as the case will. A mistake in the case is a fault. */
async function answerTo(
  block: string,
  { variables }: CurlRequest,
  { home, id, input }: Place,
  context: OperationContext,
): Promise<Answered> {
  const text = withCaseAdded(undefined, home.file, id, block)
  const { raw, specs } = await lastCase(text, home, id, context)
  const [problem] = specs.problemsOf(raw).filter(isError)
  if (problem !== undefined) throw unusable(problem.message, problem.hint)
  if (input.noSend) return { status: undefined }
  const values = new Map<string, string>()
  for (const [name, variable] of variables) {
    const value = curlValue(name, variable, context.env)
    if (value === undefined) return { status: undefined, why: missingValue(name, variable) }
    values.set(name, value)
    if (variable.isSecret) context.secrets.hide(name, value)
  }
  return await sent(raw, specs, values, context)
}

const missingValue = (name: string, { value }: CurlVariable) =>
  value === undefined
    ? `the environment has no value for ${name}`
    : `the environment lacks a part of ${name}`

async function sent(
  raw: RawCase,
  specs: SpecInput,
  variables: ReadonlyMap<string, string>,
  context: OperationContext,
): Promise<Answered> {
  let status: number | undefined
  const observer = async (_: RawCase, { subjectOf }: Observation) => {
    const subject = await subjectOf('status_code')
    if (!isSubjectError(subject)) status = Number(subject.value)
  }
  const request = { cases: [raw], offer: ownOffer, jobs: 1, failFast: false, observer, variables }
  const { outcomes } = await runSpecs(specs, request, context)
  if (status !== undefined) return { status }
  const failure = outcomes[0]?.outcome?.failure
  if (failure === undefined) throw new Error('a case without a status has a failure')
  const [message = ''] = failure.message.split('\n')
  const isUnanswered = failure.category === 'runtime' && failure.path === 'request.url'
  if (!isUnanswered || failure.stopped) throw unusable(message, failure.hint)
  return { status: undefined, why: message }
}

const unusable = (why: string, hint: string | undefined) =>
  new Fault('invalid_input', `cannot make a case of the curl line: ${why}`, {
    hint: hint ?? 'Change the line, or write the case by hand.',
  })

/** Names the variables and never shows a value. */
function messageOf(
  { variables, notes }: CurlRequest,
  { status, why }: Answered,
  { into }: CreateInput,
): string | undefined {
  const hidden = [...variables].flatMap(([name, { what, value }]) =>
    value === undefined
      ? []
      : [`the ${what} is not in the case, which refers to {{var.${name}}}${loginNote(value)}`],
  )
  const parts = [
    ...notes.map(note => `note: ${note}`),
    ...(why === undefined ? [] : [`no status is recorded: ${why}`]),
    ...(status === undefined ? ['the case expects a status below 400'] : []),
    ...hidden,
    ...(variables.size === 0 ? [] : [`run it with: ${runLine(variables, into)}`]),
  ]
  return parts.length === 0 ? undefined : parts.join('\n')
}

const loginNote = ({ isLogin }: NonNullable<CurlVariable['value']>) =>
  isLogin ? ': Basic, a space, and name:password as base64' : ''

function runLine(variables: CurlRequest['variables'], into: string | undefined): string {
  const flags = [...variables].map(([name, { isSecret }]) =>
    isSecret ? `--secret ${name}` : `--var ${name}="$${name}"`,
  )
  return ['premath spec run', ...(into === undefined ? [] : [into]), ...flags].join(' ')
}
