import { Fault } from '../../fault.ts'
import { flagField, textField } from '../../field.ts'
import { withoutSetting, withSetting } from '../../kernel/config/edit-config.ts'
import type { JsoncDocument } from '../../kernel/config/jsonc.ts'
import { BadValue, settingValue } from '../../kernel/config/setting-value.ts'
import { settingOf, settingsBelow } from '../../kernel/config/settings.ts'
import type { Json } from '../../kernel/json.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openProject, type Project } from '../../project/open.ts'
import { editConfig } from '../../project/setup/config-file.ts'
import { ConfigSetAnswer } from '../../wire/answers/policy.ts'
import { operation } from '../operation.ts'
import { isAgent, notForAgents } from '../people-only.ts'

const action = 'config.set'

export const configSet = operation({
  group: 'project',
  summary: 'Write a setting to the configuration, or remove one.',
  description:
    'Edits .premath/config.json and keeps its comments and its form. A dot leads into a group: timeouts.workSeconds. A list takes several values, values with commas, or one JSON list. Only a person may run it, not an agent under an instruction or the work of a step: the configuration names the command that verifies the work. Exits 2 if the key is unknown or the value is wrong, and changes nothing.',
  effect: 'projection',
  opId: 'op/config.set',
  input: {
    key: textField('key', 'The setting. premath config show lists them.', {
      required: true,
      positional: true,
    }),
    value: textField('value', 'The value.', { positional: true, many: true }),
    unset: flagField('Remove the setting, or a whole group, so that the default applies.'),
  },
  output: ConfigSetAnswer,
  examples: {
    "premath config set verify 'npm test'": 'sets the command that verifies the work',
    'premath config set timeouts.workSeconds 3600': 'sets one value of a group',
    'premath config set copyFiles .env .env.local': 'sets a list',
    'premath config set verify --unset': 'removes the setting',
  },

  async run({ key, value: words, unset }, context) {
    const project = await openProject(context)
    if (isAgent(context)) return notForAgents(action, 'configuration')
    const change = changeOf(key, words, unset)
    await mustBeProject(project)
    const { path, isChanged } = await editConfig(project, change.edit)
    return {
      output: { action, changed: isChanged, key, path, result: 'accepted', value: change.value },
      yes: true,
      render: () => `${change.words(isChanged)}\n  ${visible(path)}\n`,
    }
  },
})

interface Change {
  readonly edit: (document: JsoncDocument) => string
  /** `null` if the setting is removed. */
  readonly value: Json
  words(isChanged: boolean): string
}

function changeOf(key: string, words: readonly string[], unset: boolean): Change {
  const setting = settingOf(key)
  const below = settingsBelow(key)
  if ('meant' in setting && !(unset && below.length > 0)) throw unknownKey(key, setting.meant)
  if (unset) {
    if (words.length > 0) throw new Fault('usage', 'config set: --unset takes no value')
    return {
      edit: document => withoutSetting(document, key.split('.')),
      value: null,
      words: isChanged => (isChanged ? `Removed ${key}` : `${key} is not set`),
    }
  }
  if ('meant' in setting) throw unknownKey(key, setting.meant)
  if (words.length === 0) {
    throw new Fault('usage', `config set: the value of ${key} is missing`, {
      hint: `Pass a value, or remove the setting: premath config set ${key} --unset`,
    })
  }
  const value = settingValue(setting, words)
  if (value instanceof BadValue) {
    throw new Fault('usage', `config set: ${value.why}`, { hint: value.remedy, detail: { key } })
  }
  return {
    edit: document => withSetting(document, setting.path, value),
    value,
    words: isChanged => `${isChanged ? 'Set' : 'Already set'} ${key} to ${JSON.stringify(value)}`,
  }
}

function unknownKey(key: string, meant: string | undefined): Fault {
  const group = settingsBelow(key).map(one => one.key)
  if (group.length > 0) {
    return new Fault('usage', `config set: ${key} is a group of settings`, {
      hint: `Set one of them: ${group.join(', ')}.`,
    })
  }
  return new Fault('usage', `config set: unknown key ${JSON.stringify(key)}`, {
    hint: meant ? `Did you mean ${meant}?` : 'premath config show lists the keys.',
    ...(meant && { detail: { nearest: meant } }),
  })
}

async function mustBeProject({ at, files, root }: Project): Promise<void> {
  if ((await files.kindOf(at('.premath'))) === 'folder') return
  throw new Fault('usage', `there is no project in ${root}`, {
    hint: 'Run premath init first, or set PREMATH_ROOT to the project.',
  })
}
