/** What a request among several does beside being sent: its conditions, waits and assertions. */
import type { AssertRoot } from '../assert/assert-tree.ts'
import { compileAssert } from '../assert/compile-assert.ts'
import type { OwnExpressions } from '../assert/own-expressions.ts'
import { mappingIn } from '../case/requires.ts'
import { type Compiled, compileExpression } from '../lang/compile.ts'
import { numberOf } from '../lang/float.ts'
import type { Scope } from '../lang/scope.ts'
import { isErrors, type SpecError } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'
import { type CaptureRule, capturesOf } from './capture.ts'
import { type WrittenRequest, writtenRequests } from './http-request.ts'

export interface Retry {
  readonly until: AssertRoot
  readonly intervalMs: number
  readonly timeoutMs: number
}

export interface ScenarioStep {
  readonly written: WrittenRequest
  /** Sent only if it holds. */
  readonly when: Compiled | undefined
  readonly delayMs: number
  readonly assert: AssertRoot
  readonly retry: Retry | undefined
  readonly captures: readonly CaptureRule[]
}

const intervalMsDefault = 200
const timeoutMsDefault = 10_000

/** Compiles every expression of a request, so that none fails after something was sent. */
export function scenarioStep(
  written: WrittenRequest,
  scope: Scope,
): ScenarioStep | readonly SpecError[] {
  const { value, at } = written
  const condition = value.get('when')
  const when =
    condition === undefined
      ? undefined
      : compileExpression(condition, { path: `${at}.when`, scope })
  const { root: assert, errors } = compileAssert(value.get('assert'), scope, `${at}.assert`)
  const retry = mappingIn(value, 'retry')
  const until = compileAssert(retry.get('until'), scope, `${at}.retry.until`)
  if (when !== undefined && isErrors(when)) return [...when, ...errors, ...until.errors]
  const wrong = [...errors, ...until.errors]
  if (wrong.length > 0) return wrong
  return {
    written,
    when,
    delayMs: numberOf(value.get('delay_ms')) ?? 0,
    assert,
    retry: value.has('retry')
      ? {
          until: retry.has('until') ? until.root : assert,
          intervalMs: numberOf(retry.get('interval')) ?? intervalMsDefault,
          timeoutMs: numberOf(retry.get('timeout')) ?? timeoutMsDefault,
        }
      : undefined,
    captures: capturesOf(value, at),
  }
}

/** The expressions of all requests of a case. */
export function requestExpressions(
  value: ReadonlyMap<string, SpecValue>,
  scope: Scope,
): OwnExpressions {
  const steps = writtenRequests(value).map(written => scenarioStep(written, scope))
  const compiled = steps.flatMap(step => (isErrors(step) ? [] : [step]))
  return {
    errors: steps.flatMap(step => (isErrors(step) ? step : [])),
    asserts: compiled.flatMap(({ assert, retry }) =>
      retry === undefined || retry.until === assert ? [assert] : [assert, retry.until],
    ),
    conditions: compiled.flatMap(({ when, written: { value: request, at } }) =>
      when === undefined ? [] : [{ path: `${at}.when`, source: request.get('when') ?? null, when }],
    ),
  }
}
