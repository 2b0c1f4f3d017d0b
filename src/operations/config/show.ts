import type { SettingSource } from '../../kernel/config/settings.ts'
import type { Json } from '../../kernel/json.ts'
import { openProject } from '../../project/open.ts'
import { type Fact, factsPage } from '../../render/titled-page.ts'
import { ConfigShowAnswer } from '../../wire/answers/policy.ts'
import { configPath } from '../../wire/config/config.ts'
import { operation } from '../operation.ts'

export const configShow = operation({
  group: 'project',
  summary: 'Show every setting, its value and where the value comes from.',
  description:
    'Reads .premath/config.json, which may have comments and trailing commas. A flag overrides an environment variable, a variable overrides the file, and the file overrides the default. Exits 2 if the file has an unknown key or a bad value, and names its line and column.',
  effect: 'read',
  opId: 'op/config.show',
  input: {},
  output: ConfigShowAnswer,
  examples: {
    'premath config show': 'every setting with its source',
    'premath config show --json': 'the same as JSON',
  },

  async run(_input, context) {
    const project = await openProject(context)
    const { settings } = await project.config()
    return {
      output: { action: 'config.show', path: project.at(configPath), settings },
      yes: true,
      render: page => {
        const facts = settings.map(
          ({ key, value, source }): Fact => [key, `${shown(value)} (${wordsOf(source)})`],
        )
        return factsPage(configPath, facts, page)
      },
    }
  },
})

function wordsOf(source: SettingSource): string {
  if (source.from === 'environment') return source.variable
  return source.from === 'file' ? `line ${source.line}` : 'default'
}

function shown(value: Json): string {
  if (value === null) return 'not set'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  return String(value)
}
