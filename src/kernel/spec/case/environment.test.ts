import { expect, test } from 'vitest'
import { hiddenValues, inheritedEnvironment, isSafeMode, withoutValues } from './environment.ts'

const env = { A: '1', B: '2', PATH: '/bin' }

test.each<[string | undefined, readonly string[]]>([
  [undefined, ['A', 'B', 'PATH']],
  ['', ['A', 'B', 'PATH', 'SPEC_RUNNER_ENV_ALLOWLIST']],
  ['  ', ['A', 'B', 'PATH', 'SPEC_RUNNER_ENV_ALLOWLIST']],
  ['A,PATH', ['A', 'PATH']],
  [' A ; B,', ['A', 'B']],
  ['A,GONE,__proto__', ['A']],
  [',', []],
  [' , ; ', []],
])('[spec.2.env-allowlist] with the allow-list %j a command inherits %j', (list, names) => {
  const given = list === undefined ? env : { ...env, SPEC_RUNNER_ENV_ALLOWLIST: list }
  expect(Object.keys(inheritedEnvironment(given)).sort()).toEqual(names)
})

test.each(['1', 'true', 'YES', ' on ', '2', 'enabled'])(
  '[spec.2.safe-mode] %j is safe mode',
  value => {
    expect(isSafeMode({ SPEC_RUNNER_SAFE_MODE: value })).toBe(true)
  },
)

test('the step variables pass from the work to the commands of its specs', () => {
  const env = { PATH: '/bin', SECRET: 's', PREMATH_STEP_ID: 'x', SPEC_RUNNER_ENV_ALLOWLIST: 'PATH' }
  expect(inheritedEnvironment(env)).toEqual({ PATH: '/bin', PREMATH_STEP_ID: 'x' })
})

test.each([undefined, '', '0', 'no', 'off', ' FALSE '])('%j is not safe mode', value => {
  expect(isSafeMode({ SPEC_RUNNER_SAFE_MODE: value })).toBe(false)
})

const hidden = hiddenValues({
  API_TOKEN: 'abc$&1',
  PLACE: 'some/where/else',
  DEEPER: 'some/where/else/below',
  SHORT: 'short',
  PASSWORD: 'abc',
  NONE: undefined,
})

test.each([
  ['with abc$&1 and abc$&1.', 'with $API_TOKEN and $API_TOKEN.'],
  ['some/where/else/below or some/where/else', '$DEEPER or $PLACE'],
  ['what is short, as abc, stands everywhere', 'what is short, as abc, stands everywhere'],
])('%j is shown as %j', (text, shown) => {
  expect(withoutValues(text, hidden)).toBe(shown)
})
