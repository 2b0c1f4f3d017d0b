import { describe, expect, test } from 'vitest'
import { JsoncFlaw } from './jsonc.ts'
import { defaultConfig, readConfig } from './read-config.ts'

const flawIn = (text: string) => {
  const read = readConfig(text)
  if (!(read instanceof JsoncFlaw)) throw new Error('it is valid')
  return `${read.place.line}:${read.place.column} ${read.why}. ${read.remedy}`
}

const configIn = (text: string) => {
  const read = readConfig(text)
  if (read instanceof JsoncFlaw) throw new Error(read.why)
  return read.config
}

test('comments and trailing commas are allowed, and absent settings have their default', () => {
  const text = `// of this project
{
  "$schema": "./schema.json",
  "work": "agent run", /* the agent */
  "timeouts": { "workSeconds": 60, },
}`
  const { $schema, ...config } = configIn(text)
  expect($schema).toBe('./schema.json')
  expect(config).toEqual({
    ...defaultConfig(),
    work: 'agent run',
    timeouts: { workSeconds: 60, verifySeconds: 600, startupSeconds: 600 },
  })
})

test('an empty object has the defaults', () => {
  expect(configIn('{}')).toEqual(defaultConfig())
  expect(defaultConfig()).toMatchObject({ verifiers: 1, baseline: 'on', budget: {}, sign: false })
})

describe('a flaw has a place and a remedy', () => {
  test.each([
    ['{\n  "verifi": "x"\n}', '2:3 unknown key "verifi". Did you mean verify?'],
    ['{"workSeconds": 1}', '1:2 unknown key "workSeconds". Did you mean timeouts.workSeconds?'],
    [
      '{"timeouts": {\n"workSecond": 1}}',
      '2:1 unknown key "timeouts.workSecond". Did you mean timeouts.workSeconds?',
    ],
    ['{"zebra": 1}', '1:2 unknown key "zebra". premath config show lists the keys.'],
    ['{"__proto__": 1}', '1:2 unknown key "__proto__". premath config show lists the keys.'],
    ['{\n "workers": 0}', '2:2 workers must be a whole number from 1. Fix the value.'],
    ['{"work": " "}', '1:2 work must not be blank. Fix the value.'],
    ['{"copyFiles": ["a",\n 7]}', '2:2 copyFiles[1] must be text. Fix the value.'],
    ['{"baseline": "maybe"}', '1:2 baseline must be one of on, off, not "maybe". Fix the value.'],
    ['{"timeouts": 5}', '1:2 timeouts must be an object. Fix the value.'],
    ['{"work": null}', '1:2 work must be text. Fix the value.'],
    ['[]', '1:1 it must be an object. Write { … }.'],
    ['{"work": "a",\n "work": "b"}', '2:2 the key "work" is there twice. Remove one of the two.'],
    [
      '{"verify": "x",\n"verifySpecs": ["specs"]}',
      '2:1 verify and verifySpecs exclude each other. Keep one of them. A spec can run the command as a case of type cli.run.',
    ],
  ])('%s', (text, flaw) => {
    expect(flawIn(text)).toBe(flaw)
  })

  test.each([
    ['', '1:1', 'a value is missing'],
    ['// nothing\n', '2:1', 'a value is missing'],
    ['{"work": "x"', '1:13', 'a closing brace is missing'],
    ['{"work" "x"}', '1:9', 'a colon is missing'],
    ['{work: 1}', '1:2', 'an unexpected character'],
    ["{'work': 1}", '1:2', 'an unexpected character'],
    ['{"work": "x}', '1:10', 'a string that is never closed'],
    ['{} {}', '1:4', 'there is more after the end of the document'],
    ['\ufeff{}', '1:1', 'an unexpected character'],
    ['{"a": 1 /* b }', '1:9', 'a comment that is never closed'],
  ])('%j', (text, place, why) => {
    const flaw = flawIn(text)
    expect(flaw).toBe(
      `${place} not readable as JSON with comments: ${why}. Fix the file at that place.`,
    )
  })

  test('many brackets', () => {
    expect(flawIn('['.repeat(100_000))).toContain('it has more than 2000 brackets')
    expect(flawIn('['.repeat(2000))).toContain('a closing bracket is missing')
  })
})
