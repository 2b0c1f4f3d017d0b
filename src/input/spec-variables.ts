/** Variables of a run: `--var name=value`, and `--secret NAME` from the environment. */
import { Fault } from '../fault.ts'
import { type Fields, type InputOf, textField } from '../field.ts'
import type { OperationContext } from '../project/context.ts'

/** Less is part of other texts by chance, and hiding it would garble them. */
const secretCharsMin = 4

export const variableFields = {
  var: textField('name=value', 'A value for {{var.name}} in cases; may be repeated.', {
    many: true,
  }),
  secret: textField(
    'name',
    'An environment variable for {{var.NAME}} in cases, whose value is shown as $NAME wherever it occurs; may be repeated.',
    { many: true },
  ),
} as const satisfies Fields

/** From here on, the values of secrets are hidden in whatever the command shows. */
export function readVariables(
  { var: given, secret }: InputOf<typeof variableFields>,
  { env, secrets }: Pick<OperationContext, 'env' | 'secrets'>,
): ReadonlyMap<string, string> {
  const variables = new Map<string, string>()
  for (const text of given) {
    const at = text.indexOf('=')
    if (at === -1) throw withoutValue(text)
    add(text.slice(0, at), text.slice(at + 1), variables)
  }
  for (const name of secret) {
    const value = env[name] ?? ''
    if (value.length < secretCharsMin) throw unusableSecret(name, value)
    add(name, value, variables)
    secrets.hide(name, value)
  }
  return variables
}

function add(name: string, value: string, variables: Map<string, string>): void {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) throw badName(name)
  if (variables.has(name)) throw givenTwice(name)
  variables.set(name, value)
}

const withoutValue = (text: string) =>
  new Fault('usage', `--var ${JSON.stringify(text)} has no value`, {
    hint: 'Write it as --var name=value.',
  })

const badName = (name: string) =>
  new Fault('usage', `${JSON.stringify(name)} is no name of a variable`, {
    hint: 'A name is of letters, digits, _ and -, and begins with a letter or _.',
  })

const givenTwice = (name: string) =>
  new Fault('usage', `the variable ${name} is given twice`, { hint: 'Give it once.' })

function unusableSecret(name: string, value: string): Fault {
  if (value === '') {
    return new Fault('usage', `--secret ${name}: the environment has no value for ${name}`, {
      hint: `Export ${name}, or pass a value that is no secret with --var.`,
    })
  }
  const why = `its value is shorter than ${secretCharsMin} characters, which hides too little and garbles too much`
  return new Fault('usage', `--secret ${name}: ${why}`, {
    hint: 'Use a longer secret, or pass a value that is no secret with --var.',
  })
}
