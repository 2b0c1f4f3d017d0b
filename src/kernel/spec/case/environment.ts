/** Which variables a command of a case gets, and what else the environment decides about a run. */

export type Environment = Readonly<Record<string, string | undefined>>

const allowListVariable = 'SPEC_RUNNER_ENV_ALLOWLIST'
export const safeModeVariable = 'SPEC_RUNNER_SAFE_MODE'
export const healthVariable = 'SPEC_RUNNER_ASSERT_HEALTH'

/** By which commands of the work of a step are known; without it they would be taken for a person's. */
const ofStep = 'PREMATH_STEP_ID'

/** All of ours without an allow-list; with one the names in it, and with an empty one none. */
export function inheritedEnvironment(env: Environment): Environment {
  const list = env[allowListVariable] ?? ''
  if (list.trim() === '') return env
  const names = [...list.split(/[\s,;]+/).filter(Boolean), ofStep]
  return Object.fromEntries(
    names.flatMap(name => (Object.hasOwn(env, name) ? [[name, env[name]]] : [])),
  )
}

/** In safe mode no hook runs. A word that we do not know was meant to switch it on. */
export const isSafeMode = (env: Environment): boolean =>
  !['', '0', 'false', 'no', 'off'].includes((env[safeModeVariable] ?? '').trim().toLowerCase())

/** Shorter ones stand everywhere by chance. */
const charsMin = 8
const secretCharsMin = 4
const secretName = /TOKEN|SECRET|PASS|CREDENTIAL|AUTH|KEY/i

/** The name of a variable, by its value. */
export type HiddenValues = ReadonlyMap<string, string>

export function hiddenValues(env: Environment): HiddenValues {
  const found = Object.entries(env).flatMap(([name, value = '']) =>
    value.length >= (secretName.test(name) ? secretCharsMin : charsMin)
      ? [[value, name] as const]
      : [],
  )
  // One value can be a part of another.
  return new Map(found.sort(([a], [b]) => b.length - a.length))
}

/** The text with the names of variables where their values stood. */
export function withoutValues(text: string, hidden: HiddenValues): string {
  let shown = text
  for (const [value, name] of hidden) {
    if (shown.includes(value)) shown = shown.replaceAll(value, () => `$${name}`)
  }
  return shown
}
