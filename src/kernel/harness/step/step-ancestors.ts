/** Finds the step that a process belongs to, by the processes that journals name. */
import { isJsonObject, jsonIn, numberOf } from '../../json.ts'

interface Ancestor {
  readonly id: number
  readonly startedAt: string
}

/** The id of the step whose journal has the process group of an ancestor. */
export function stepOfAncestors(
  journals: readonly string[],
  ancestors: readonly Ancestor[],
): string | undefined {
  // Reading a line as JSON takes longer than all the rest.
  const starts = ancestors.map(one => one.startedAt).filter(start => start !== '')
  for (const line of journals.flatMap(text => text.split('\n'))) {
    if (!starts.some(start => line.includes(start))) continue
    const stepId = stepIn(line, ancestors)
    if (stepId !== undefined) return stepId
  }
  return undefined
}

/** A start time is a part of the comparison, because the system uses numbers again. */
function stepIn(line: string, ancestors: readonly Ancestor[]): string | undefined {
  const entry = jsonIn(line)
  if (!isJsonObject(entry)) return undefined
  const { group, stepId } = entry
  if (!isJsonObject(group) || typeof stepId !== 'string') return undefined
  const { id, startedAt } = group
  const isOwn = ancestors.some(one => one.id === numberOf(id) && one.startedAt === startedAt)
  return isOwn ? stepId : undefined
}
