/** The configuration: shown, changed, and used by the commands that run an agent. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { defaultConfig } from '../src/kernel/config/read-config.ts'
import { settings } from '../src/kernel/config/settings.ts'
import { operations } from '../src/operations/index.ts'
import { aProject, open } from './a-project.ts'

const project = aProject()
const { asked, done, premath, rowsById } = project

const path = () => join(project.folder, '.premath/config.json')
const text = () => readFileSync(path(), 'utf8')

function given(config: string): void {
  mkdirSync(join(project.folder, '.premath'), { recursive: true })
  writeFileSync(path(), config)
}

const shown = (key: string, env = {}) => {
  const { json } = asked(['config', 'show'], { env })
  return json.settings.find((one: { key: string }) => one.key === key)
}

describe('config set', () => {
  test('writes the file, and config show reads it', () => {
    project.given()
    expect(done('config', 'set', 'timeouts.workSeconds', '60')).toEqual({
      action: 'config.set',
      changed: true,
      key: 'timeouts.workSeconds',
      path: path(),
      result: 'accepted',
      value: 60,
    })
    expect(text()).toBe('{\n  "timeouts": {\n    "workSeconds": 60\n  }\n}\n')
    expect(shown('timeouts.workSeconds')).toMatchObject({ value: 60, source: { line: 3 } })
    expect(done('config', 'set', 'timeouts.workSeconds', '60').changed).toBe(false)
    expect(done('config', 'set', 'timeouts', '--unset')).toMatchObject({ value: null })
    expect(shown('timeouts.workSeconds')).toMatchObject({
      value: 2700,
      source: { from: 'default' },
    })
  })

  test('keeps comments, and replaces a bad value', () => {
    given('// head\n{\n  "workers": 0, // too few\n}\n')
    done('config', 'set', 'workers', '3')
    expect(text()).toBe('// head\n{\n  "workers": 3, // too few\n}\n')
  })

  test.each([
    [['workers', '0'], 'workers must be a whole number from 1', 'config set workers 4'],
    [['verifyer', 'x'], 'unknown key "verifyer"', 'Did you mean verify?'],
    [['timeouts', '4'], 'timeouts is a group', 'timeouts.workSeconds'],
    [['work'], 'the value of work is missing', '--unset'],
    [['work', 'x', '--unset'], '--unset takes no value', ''],
    [['verify', 'x'], '.premath/config.json:1:2: verify and verifySpecs exclude', 'Keep one'],
  ])('%j is refused, and the file stays', (args, what, next) => {
    const before = '{"verifySpecs": ["specs"]}'
    given(before)
    const { status, stderr } = premath(['config', 'set', ...args])
    expect([status, stderr]).toEqual([2, expect.stringContaining(what)])
    expect(stderr).toContain(next)
    expect(text()).toBe(before)
  })

  test('needs a project', () => {
    const { status, stderr } = premath(['config', 'set', 'work', 'x'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('premath init')])
    expect(existsSync(path())).toBe(false)
  })

  test.each([
    ['the work of a step', { PREMATH_STEP_ID: 's1' }],
    ['an agent under an instruction', { PREMATH_INSTRUCTION_ID: 'i' }],
  ])('is not for %s', (_, env) => {
    given('{}')
    const { status, json } = asked(['config', 'set', 'verify', 'true'], { env })
    expect([status, json.failureClasses]).toEqual([1, ['mutation_not_granted']])
    expect(text()).toBe('{}')
  })
})

describe('a bad file', () => {
  beforeEach(() => given('{\n  "verifi": "x"\n}'))

  test.each([
    [['config', 'show']],
    [['harness-boot']],
    [['harness-step', '--work-cmd', 'true', '--verify-cmd', 'true']],
    [['harness-loop', 'worker', '--work-cmd', 'true', '--verify-cmd', 'true']],
  ])('stops %j with its place and the nearest key', args => {
    project.given({ id: 'bd-1', title: 'One' })
    const { status, stderr } = premath(args)
    expect([status, stderr]).toEqual([
      2,
      'error: .premath/config.json:2:3: unknown key "verifi"\n  Did you mean verify?\n',
    ])
  })

  test('does not stop commands that need no setting', () => {
    project.given({ id: 'bd-1', title: 'One' })
    expect(done('issue', 'list').count).toBe(1)
  })

  test('is a finding of the doctor', () => {
    project.given()
    const { json } = asked(['doctor'])
    expect(json.findings).toMatchObject([{ check: 'config', next: 'Did you mean verify?' }])
  })
})

describe('the commands that run an agent', () => {
  beforeEach(() => project.given(open('bd-1'), open('bd-2')))

  const ran = () => readFileSync(join(project.folder, 'ran'), 'utf8').trim().split('\n')
  const status = (id: string) => rowsById()[id].status
  const step = (args: readonly string[] = [], env = {}) =>
    premath(['harness-step', ...args], { env }).status

  test('take work and verification from the file', () => {
    given('{"work": "echo file >> ran", "verify": "grep -q file ran"}')
    expect(step()).toBe(0)
    expect([ran(), status('bd-1')]).toEqual([['file'], 'closed'])
  })

  test('let a flag win over the environment, and the environment over the file', () => {
    given('{"work": "echo file >> ran", "verifySpecs": ["none"]}')
    const env = { PREMATH_WORK_CMD: 'echo variable >> ran', PREMATH_VERIFY_CMD: 'true' }
    expect(step([], env)).toBe(0)
    expect(step(['--work-cmd', 'echo flag >> ran'], env)).toBe(0)
    expect(ran()).toEqual(['variable', 'flag'])
  })

  test('let a flag for specs win over a command, and the other way round', () => {
    given('{"work": "true", "verify": "true"}')
    expect(step(['--verify-spec', 'none'])).not.toBe(0)
    given('{"work": "true", "verifySpecs": ["none"]}')
    expect(step(['--issue', 'bd-2', '--verify-cmd', 'true'])).toBe(0)
  })

  test('let a timeout in the file win over the default, and a flag over both', () => {
    given('{"work": "sleep 1.5", "verify": "true", "timeouts": {"workSeconds": 1}}')
    expect(step(['--issue', 'bd-1'])).toBe(1)
    expect(step(['--issue', 'bd-2', '--work-timeout-seconds', '60'])).toBe(0)
  })

  test('run the start-up command of the file', () => {
    given('{"work": "true", "verify": "true", "startup": "exit 1"}')
    expect(premath(['harness-boot']).status).toBe(1)
    expect(premath(['harness-boot', '--startup-cmd', 'true']).status).toBe(0)
    expect([step(), status('bd-1')]).toEqual([1, 'open'])
    expect(premath(['harness-loop', 'worker']).status).toBe(1)
    expect(status('bd-1')).toBe('open')
  })

  test('keep the budget of the file', () => {
    given('{"work": "true", "verify": "true", "budget": {"maxSteps": 1}}')
    expect(premath(['harness-loop', 'worker']).status).toBe(0)
    expect([status('bd-1'), status('bd-2')]).toEqual(['closed', 'open'])
    expect(premath(['harness-loop', 'worker', '--max-steps', '2']).status).toBe(0)
    expect(status('bd-2')).toBe('closed')
  })

  test('say how to set a missing command for the project', () => {
    const { stderr } = premath(['harness-step'])
    expect(stderr).toContain("premath config set work 'make fix'")
  })
})

test('every flag with a setting shows the default of that setting', async () => {
  const defaults = new Map(settings.map(({ key, path }) => [key, valueIn(path)]))
  const loaded = await Promise.all(Object.values(operations).map(load => load()))
  const fields = loaded.flatMap(({ input }) => Object.values(input))
  const set = fields.filter(field => 'setting' in field && field.setting !== undefined)
  expect(set.length).toBeGreaterThan(0)
  for (const field of set) {
    if (!('setting' in field) || field.setting === undefined) continue
    const byDefault = defaults.get(field.setting)
    expect(defaults.has(field.setting), field.setting).toBe(true)
    expect(field.default, field.setting).toBe(field.many ? undefined : byDefault)
  }
})

function valueIn(path: readonly string[]): unknown {
  let value: unknown = defaultConfig()
  for (const name of path) value = Object(value)[name]
  return value
}
