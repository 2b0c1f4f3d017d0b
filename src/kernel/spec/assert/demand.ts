/**
 * A requirement of a case beside its assertions, such as an exit code. The evaluator decides it
 * too.
 */
import { Secrets } from '../../text/secrets.ts'
import { type Compiled, compileExpression } from '../lang/compile.ts'
import { evaluate, isSpecError } from '../lang/evaluate.ts'
import { hiddenIn } from '../lang/hidden-value.ts'
import { isTruthy } from '../lang/item.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, type SpecValue } from '../lang/value.ts'
import type { AssertFailure, AssertSetting } from './run-assert.ts'
import {
  type CommandOutput,
  hiddenOutput,
  keptOutput,
  shortened,
  writtenOutput,
} from './written-value.ts'

export interface Demand {
  /** The key of the case, such as `exit_code`. */
  readonly name: string
  /** A list expects any one of its values. */
  readonly expected: SpecValue
  readonly actual: SpecValue
  /** Related output, which usually contains the reason. */
  readonly streams?: CommandOutput
  /** The message instead of both values. */
  readonly unmet?: string
  /** The path of the key that states it; its name by default. */
  readonly path?: string
}

export function unmetDemand(
  { name, expected, actual, streams, unmet, path = name }: Demand,
  { caseId, budget, startTimer, regex, secrets = new Secrets() }: Omit<AssertSetting, 'subjectOf'>,
): AssertFailure | undefined {
  const failed = ({ category, message }: SpecError): AssertFailure => ({
    category,
    message: `[case_id=${caseId}] ${message}`,
    assertPath: path,
    path,
    target: name,
  })
  const compiled = compiledDemand(expected, name)
  if ('length' in compiled) return failed(compiled[0] as SpecError)
  const outcome = evaluate(compiled, { subject: actual, budget, startTimer, regex })
  if (isSpecError(outcome)) return failed(outcome)
  if (isTruthy(outcome.value)) return undefined
  const output = streams && hiddenOutput(streams, secrets)
  const lines = [
    unmet === undefined
      ? `${name} expected=${shown(expected)} actual=${shown(hiddenIn(actual, secrets))}`
      : secrets.text(unmet),
    ...(output ? writtenOutput(output).map(line => `  ${line}`) : []),
  ]
  const failure = failed({ category: 'assertion', message: lines.join('\n') })
  return output ? { ...failure, output: keptOutput(output) } : failure
}

/** Cached by expected value: nearly every command case expects the same exit code. */
const compiledNumbers = new Map<number, Compiled>()
const compiledNumbersMax = 256

function compiledDemand(expected: SpecValue, path: string): Compiled | readonly SpecError[] {
  const known = typeof expected === 'number' ? compiledNumbers.get(expected) : undefined
  if (known !== undefined) return known
  const compiled = compileExpression(predicateFor(expected), { path })
  const isKept = typeof expected === 'number' && compiledNumbers.size < compiledNumbersMax
  if (isKept && !('length' in compiled)) compiledNumbers.set(expected, compiled)
  return compiled
}

const predicateFor = (expected: SpecValue): SpecValue => {
  const operator = isList(expected) ? 'std.collection.in' : 'std.logic.eq'
  return new Map([[operator, [new Map([['var', 'subject']]), new Map([['lit', expected]])]]])
}

/** The values that a demand accepts. */
export const acceptedBy = ({ expected }: Demand): readonly SpecValue[] =>
  isList(expected) ? expected : [expected]

export function shown(value: SpecValue): string {
  if (isList(value)) return value.map(shown).join(' or ')
  return typeof value === 'string' ? shortened(value) : String(value)
}
