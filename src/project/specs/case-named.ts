/** Finds the case that an argument names by its id, or by document and id. */
import { Fault } from '../../fault.ts'
import type { InputOf } from '../../field.ts'
import { placeName, type RawCase } from '../../kernel/spec/document/raw-case.ts'
import { nearest } from '../../kernel/text/nearest.ts'
import type { ProjectSeeker } from '../open.ts'
import { executable } from './outcomes.ts'
import { problemsMessage } from './problems.ts'
import type { specFields } from './spec-fields.ts'
import { readSpecs, type SpecInput } from './spec-input.ts'

interface Named {
  readonly specs: SpecInput
  readonly raw: RawCase
}

export async function caseNamed(
  input: InputOf<typeof specFields> & { readonly case: string },
  context: ProjectSeeker,
): Promise<Named> {
  const mark = input.case.lastIndexOf('#')
  const id = input.case.slice(mark + 1)
  const path = mark > 0 ? [input.case.slice(0, mark)] : input.path
  const specs = await readSpecs({ ...input, path }, context)
  const cases = executable(specs.cases)
  const [raw, second] = cases.filter(one => one.id === id)
  if (raw === undefined) throw noCase(id, specs, cases)
  if (second === undefined) return { specs, raw }
  throw new Fault('usage', `several cases are called ${JSON.stringify(id)}`, {
    hint: `Name the document too: ${raw.file}#${id}, or ${second.file}#${id} (${placeName(second.placeOf(''))}).`,
  })
}

function noCase(id: string, { documentProblems, cases }: SpecInput, known: readonly RawCase[]) {
  if (cases.some(one => one.id === id)) {
    return new Fault('usage', `${JSON.stringify(id)} is a library, which is read and never run`, {
      hint: 'Explain a case that uses it.',
    })
  }
  const meant = nearest(
    id,
    known.map(one => one.id),
  )
  const unread = problemsMessage(documentProblems)
  const hint = meant
    ? `Did you mean ${meant}?`
    : (unread ?? 'premath spec list shows the cases there are.')
  return new Fault('usage', `no case is called ${JSON.stringify(id)}`, {
    hint,
    ...(meant !== undefined && { detail: { nearest: meant } }),
  })
}
