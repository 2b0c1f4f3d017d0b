/**
 * Finds arguments and variables that no operating system can pass to a program. Runs when a case is
 * read and again after its templates are filled.
 */
import type { SpecValue } from '../lang/value.ts'
import type { ShapeProblem } from './check-shape.ts'
import { mappingIn } from './requires.ts'

type Mapping = ReadonlyMap<string, SpecValue>

export function commandFlaws(value: Mapping): readonly ShapeProblem[] {
  const harness = mappingIn(value, 'harness')
  return [
    ...sessionFlaws(value),
    ...wordFlaws(value.get('argv'), 'argv'),
    ...['entrypoint', 'hook_before', 'hook_after'].flatMap(key =>
      wordFlaws(harness.get(key), `harness.${key}`),
    ),
    ...[...mappingIn(harness, 'env')].flatMap(([name, one]) => variable(name, one)),
  ]
}

/** A shell that runs commands takes no other arguments, and each command has its own exit code. */
function sessionFlaws(value: Mapping): readonly ShapeProblem[] {
  const commands = value.get('commands')
  if (!Array.isArray(commands)) return []
  const others = ['argv', 'exit_code'].filter(key => value.has(key))
  return [
    ...others.map(key => ({
      path: key,
      atKey: true,
      code: 'case.value',
      message: `${key} cannot be combined with commands`,
      hint:
        key === 'argv'
          ? 'Write the arguments into the commands.'
          : 'Set it for one command: `{run: ls missing, exit_code: 2}`.',
    })),
    ...(commands as readonly SpecValue[]).flatMap((one, at) =>
      one instanceof Map
        ? text(one.get('run'), `commands[${at}].run`)
        : text(one, `commands[${at}]`),
    ),
  ]
}

export function wordFlaws(value: SpecValue | undefined, path: string): readonly ShapeProblem[] {
  if (!Array.isArray(value)) return text(value, path)
  return value.flatMap((word, at) => text(word, `${path}[${at}]`))
}

/** The name ends at the first `=`, and an empty name is invalid. */
const variableName = /^[^=\0]+$/

function variable(name: string, value: SpecValue): readonly ShapeProblem[] {
  const path = `harness.env.${name}`
  if (variableName.test(name)) return text(value, path)
  const message = `harness.env has an invalid variable name: ${JSON.stringify(name)}`
  const hint = 'Use a non-empty name without = and NUL characters.'
  return [{ path, atKey: true, code: 'case.value', message, hint }]
}

function text(value: SpecValue | undefined, path: string): readonly ShapeProblem[] {
  if (typeof value !== 'string' || !value.includes('\0')) return []
  const message = `${path} contains a NUL character, which cannot be passed to a program`
  const hint = 'Remove it, or pass the text in a file.'
  return [{ path, code: 'case.value', message, hint }]
}
