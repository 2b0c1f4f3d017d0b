/** The environment of the commands of a case, and the variables that configure a run. */

export type Environment = Readonly<Record<string, string | undefined>>

const allowListVariable = 'SPEC_RUNNER_ENV_ALLOWLIST'
export const safeModeVariable = 'SPEC_RUNNER_SAFE_MODE'
export const healthVariable = 'SPEC_RUNNER_ASSERT_HEALTH'

/** Marks a command as part of a step. Without it, premath takes the caller for a person. */
const ofStep = 'PREMATH_STEP_ID'

/** All variables if the allow-list is unset or blank, otherwise only the listed ones. */
export function inheritedEnvironment(env: Environment): Environment {
  const list = env[allowListVariable] ?? ''
  if (list.trim() === '') return env
  const names = [...list.split(/[\s,;]+/).filter(Boolean), ofStep]
  return Object.fromEntries(
    names.flatMap(name => (Object.hasOwn(env, name) ? [[name, env[name]]] : [])),
  )
}

/** In safe mode no hook runs. An unknown value switches it on. */
export const isSafeMode = (env: Environment): boolean =>
  !['', '0', 'false', 'no', 'off'].includes((env[safeModeVariable] ?? '').trim().toLowerCase())

/** Shorter values occur in output by chance. */
const charsMin = 8
const secretCharsMin = 4
const secretName = /TOKEN|SECRET|PASS|CREDENTIAL|AUTH|KEY/i

/** Variable names by value. */
export type HiddenValues = ReadonlyMap<string, string>

export function hiddenValues(env: Environment): HiddenValues {
  const found = Object.entries(env).flatMap(([name, value = '']) =>
    value.length >= (secretName.test(name) ? secretCharsMin : charsMin)
      ? [[value, name] as const]
      : [],
  )
  // Longest first, because one value can contain another.
  return new Map(found.sort(([a], [b]) => b.length - a.length))
}

/** Replaces the values of variables with their names. */
export function withoutValues(text: string, hidden: HiddenValues): string {
  let shown = text
  for (const [value, name] of hidden) {
    if (shown.includes(value)) shown = shown.replaceAll(value, () => `$${name}`)
  }
  return shown
}
