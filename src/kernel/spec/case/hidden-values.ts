/** Values of the environment, which may be secrets, kept out of what is shown to people. */
import type { Environment } from './environment.ts'

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
