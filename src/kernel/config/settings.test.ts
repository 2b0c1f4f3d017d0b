import { describe, expect, test } from 'vitest'
import { Config, configVariables } from '../../wire/config/config.ts'
import type { Json } from '../json.ts'
import { JsoncFlaw } from './jsonc.ts'
import { readConfig } from './read-config.ts'
import { BadValue, settingValue } from './setting-value.ts'
import { configInForce, settingOf, settings } from './settings.ts'

function inForce(text: string | undefined, env: Record<string, string> = {}) {
  const file = text === undefined ? undefined : readConfig(text)
  if (file instanceof JsoncFlaw) throw new Error(file.why)
  const { config, settings: all } = configInForce(file, env)
  return { config, of: (key: string) => all.find(one => one.key === key) }
}

test('every key of the file is a setting, and variables belong to settings', () => {
  const keys = settings.map(({ key }) => key)
  const groups = new Set(keys.map(key => key.split('.')[0]))
  expect(['$schema', ...groups]).toEqual(Object.keys(Config.members))
  expect(Object.keys(configVariables).filter(key => !keys.includes(key))).toEqual([])
})

test('the environment wins over the file, and the file over the default', () => {
  const text = '{\n  "work": "file",\n  "timeouts": {"workSeconds": 9}\n}'
  const env = { PREMATH_WORK_CMD: 'variable' }
  const { config, of } = inForce(text, env)
  expect(config.work).toBe('variable')
  expect(of('work')?.source).toEqual({ from: 'environment', variable: 'PREMATH_WORK_CMD' })
  expect(of('timeouts.workSeconds')).toEqual({
    key: 'timeouts.workSeconds',
    value: 9,
    source: { from: 'file', line: 3, column: 16 },
  })
  expect(of('timeouts.verifySeconds')).toMatchObject({ value: 600, source: { from: 'default' } })
  expect(of('onto')).toMatchObject({ value: null, source: { from: 'default' } })
})

test('an empty variable is none', () => {
  const { config, of } = inForce('{"work": "file"}', { PREMATH_WORK_CMD: '' })
  expect([config.work, of('work')?.source.from]).toEqual(['file', 'file'])
})

test('a verify command in the environment replaces the specs of the file', () => {
  const { config } = inForce('{"verifySpecs": ["specs"]}', { PREMATH_VERIFY_CMD: 'make test' })
  expect([config.verify, config.verifySpecs]).toEqual(['make test', []])
})

test('without a file all settings have their default', () => {
  const { of } = inForce(undefined)
  expect(of('verifiers')).toMatchObject({ value: 1, source: { from: 'default' } })
})

test.each([
  ['verifyer', 'verify'],
  ['workSeconds', 'timeouts.workSeconds'],
  ['timeouts.workSecond', 'timeouts.workSeconds'],
  ['zebra', undefined],
])('%s is not a setting', (key, meant) => {
  expect(settingOf(key)).toEqual({ meant })
})

describe('words become a value', () => {
  const given = (key: string, ...words: readonly string[]) => {
    const setting = settingOf(key)
    if ('meant' in setting) throw new Error(`${key} is unknown`)
    return settingValue(setting, words)
  }

  test.each<[string, readonly string[], Json]>([
    ['work', ['4'], '4'],
    ['workers', ['4'], 4],
    ['sign', ['true'], true],
    ['baseline', ['off'], 'off'],
    ['copyFiles', ['.env'], ['.env']],
    ['copyFiles', ['.env, a.key', 'b'], ['.env', 'a.key', 'b']],
    ['copyFiles', ['["a,b"]'], ['a,b']],
    ['copyFiles', ['[ab].txt'], ['[ab].txt']],
    ['copyFiles', ['[]'], []],
    ['timeouts.workSeconds', ['60'], 60],
  ])('%s %j', (key, words, value) => {
    expect(given(key, ...words)).toEqual(value)
  })

  test.each<[string, readonly string[], string]>([
    ['workers', ['0'], 'workers must be a whole number from 1'],
    ['workers', ['many'], 'workers must be a whole number from 1'],
    ['sign', ['yes'], 'sign must be true or false'],
    ['work', [''], 'work must not be blank'],
    ['work', ['agent', 'run'], 'work takes one value'],
    ['copyFiles', ['a,,b'], 'copyFiles[1] must not be blank'],
    ['copyFiles', ['[7]'], 'copyFiles[0] must be text'],
    ['baseline', ['maybe'], 'baseline must be one of on, off, not "maybe"'],
  ])('%s %j is refused', (key, words, why) => {
    const value = given(key, ...words)
    expect(value).toBeInstanceOf(BadValue)
    expect(value).toMatchObject({ why, remedy: expect.stringContaining('premath config set') })
  })
})
