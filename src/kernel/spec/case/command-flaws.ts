/**
 * What no system can hand to a program. Looked for when a case is read, and again when its
 * templates are filled.
 */
import type { SpecValue } from '../lang/value.ts'
import type { ShapeProblem } from './check-shape.ts'
import { mappingIn } from './requires.ts'

type Mapping = ReadonlyMap<string, SpecValue>

export function commandFlaws(value: Mapping): readonly ShapeProblem[] {
  const harness = mappingIn(value, 'harness')
  return [
    ...words(value.get('argv'), 'argv'),
    ...['entrypoint', 'hook_before', 'hook_after'].flatMap(key =>
      words(harness.get(key), `harness.${key}`),
    ),
    ...[...mappingIn(harness, 'env')].flatMap(([name, one]) => variable(name, one)),
  ]
}

function words(value: SpecValue | undefined, path: string): readonly ShapeProblem[] {
  if (!Array.isArray(value)) return text(value, path)
  return value.flatMap((word, at) => text(word, `${path}[${at}]`))
}

/** The system would take the rest of it for the value, or nothing for a name. */
const variableName = /^[^=\0]+$/

function variable(name: string, value: SpecValue): readonly ShapeProblem[] {
  const path = `harness.env.${name}`
  if (variableName.test(name)) return text(value, path)
  const message = `harness.env cannot name a variable ${JSON.stringify(name)}`
  const hint = 'Give it a name without = and without a NUL character.'
  return [{ path, atKey: true, code: 'case.value', message, hint }]
}

function text(value: SpecValue | undefined, path: string): readonly ShapeProblem[] {
  if (typeof value !== 'string' || !value.includes('\0')) return []
  const message = `${path} has a NUL character in it, which no program can be given`
  const hint = 'Remove it, or give it to the program in harness.stdin_text or a setup file.'
  return [{ path, code: 'case.value', message, hint }]
}
