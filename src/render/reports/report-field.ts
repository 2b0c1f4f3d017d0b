/** `--report <name>[=<path>]`, given any number of times. */
import { Fault } from '../../fault.ts'
import type { TextField } from '../../field.ts'
import { nearest } from '../../kernel/text/nearest.ts'
import type { OperationContext } from '../../project/context.ts'

export interface ReportRequest {
  readonly name: string
  /** `undefined`: standard output, in the place of the page. */
  readonly path: string | undefined
}

export function reportField(names: readonly string[]) {
  return {
    type: 'text',
    describe: `Write a report: ${names.join(', ')}. To a file, or in the place of the page where no path is given. May be given several times.`,
    placeholder: 'name[=path]',
    many: true,
  } as const satisfies TextField
}

/** Checked before the run, so that a typing error costs nothing. */
export function reportRequests(
  given: readonly string[],
  names: readonly string[],
  { json }: Pick<OperationContext, 'json'>,
): readonly ReportRequest[] {
  const requests = given.map(text => requestOf(text, names))
  const printed = requests.filter(({ path }) => path === undefined).map(({ name }) => name)
  const [first, second] = json ? ['--json', ...printed.map(flag)] : printed.map(flag)
  if (first !== undefined && second !== undefined) {
    throw new Fault('usage', `${first} and ${second} both print on standard output`, {
      hint: `Give one of them a file: ${second}=<path>.`,
    })
  }
  return requests
}

const flag = (name: string) => `--report ${name}`

function requestOf(text: string, names: readonly string[]): ReportRequest {
  const [name = '', ...rest] = text.split('=')
  if (!names.includes(name)) {
    const meant = nearest(name, names)
    throw new Fault('usage', `there is no report ${JSON.stringify(name)}`, {
      hint: `It is one of ${names.join(', ')}${meant ? `; did you mean ${meant}?` : '.'}`,
      ...(meant && { detail: { nearest: meant } }),
    })
  }
  const path = rest.length > 0 ? rest.join('=') : undefined
  if (path !== '') return { name, path }
  throw new Fault('usage', `--report ${text} names no file`, {
    hint: `Name one, as in --report ${name}=<path>, or leave out the = to print it.`,
  })
}
