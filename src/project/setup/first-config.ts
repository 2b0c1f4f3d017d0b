/** The configuration that `init` writes, with the answers of the person at the terminal. */
import { BadValue, settingValue } from '../../kernel/config/setting-value.ts'
import { settingOf } from '../../kernel/config/settings.ts'
import type { Json } from '../../kernel/json.ts'
import { configPath } from '../../wire/config/config.ts'
import type { Asker } from '../context.ts'

/** The settings of most projects. The example becomes a comment. */
const firstSettings = [
  {
    key: 'work',
    question: 'Command that does the work of an issue',
    about: 'The command that does the work of one issue.',
    example: 'my-agent --prompt "$(premath prime)"',
  },
  {
    key: 'verify',
    question: 'Command that verifies the work',
    about: 'The command that verifies the work: exit code 0 means that it passed.',
    example: 'npm test',
  },
  {
    key: 'workers',
    question: 'Number of workers',
    about: 'The number of workers.',
    example: 2,
  },
] as const

export type FirstAnswers = ReadonlyMap<string, Json>

/** Asks for the settings that most projects need. Enter leaves one out, Ctrl-D the rest. */
export async function askFirstSettings(ask: Asker | undefined): Promise<FirstAnswers> {
  const answers = new Map<string, Json>()
  if (!ask) return answers
  let intro = `Settings for ${configPath}. Press Enter to leave one out.\n`
  for (const { key, question, example } of firstSettings) {
    const value = await askSetting(ask, key, `${intro}${question} (such as ${example}): `)
    if (value === undefined) break
    if (value !== null) answers.set(key, value)
    intro = ''
  }
  return answers
}

/** `null` for an answer left out, and `undefined` at the end of the input. */
async function askSetting(ask: Asker, key: string, first: string): Promise<Json | undefined> {
  const setting = settingOf(key)
  if ('meant' in setting) throw new Error(`${key} is not a setting`)
  for (let question = first; ; ) {
    const answer = await ask(question)
    if (answer === undefined) return undefined
    if (answer === '') return null
    const value = settingValue(setting, [answer])
    if (!(value instanceof BadValue)) return value
    question = `${value.why}. Try again: `
  }
}

export function firstConfig(answers: FirstAnswers): string {
  const members = firstSettings.map(({ key, about, example }) => {
    const value = answers.get(key)
    const member = `"${key}": ${JSON.stringify(value ?? example)},`
    return `  // ${about}\n  ${value === undefined ? '// ' : ''}${member}\n`
  })
  return `// Settings of premath for this project. Flags and environment variables override them.
// premath config show lists all settings and their values.
{
${members.join('\n')}}
`
}
