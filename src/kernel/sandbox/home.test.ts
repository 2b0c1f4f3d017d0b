import { expect, test } from 'vitest'
import { agentStates, sandboxEnvironment, secretPaths, withoutNpmTokens } from './home.ts'

const env = {
  PATH: '/bin',
  TMPDIR: '/var/folders/x',
  SSH_AUTH_SOCK: '/s',
  DBUS_SESSION_BUS_ADDRESS: 'd',
  XDG_RUNTIME_DIR: '/run/user/1',
  DOCKER_HOST: 'h',
  TMUX: 't',
  DISPLAY: ':0',
  ANTHROPIC_API_KEY: 'k',
  CLAUDE_CODE_OAUTH_TOKEN: 'k',
  GITHUB_TOKEN: 'k',
  AWS_SECRET_ACCESS_KEY: 'k',
  DATABASE_PASSWORD: 'p',
  PREMATH_STEP_ID: 's',
}

test('work keeps its login, and loses the session of the user', () => {
  expect(sandboxEnvironment(env, 'work')).toEqual({
    PATH: '/bin',
    TMPDIR: '/tmp',
    ANTHROPIC_API_KEY: 'k',
    CLAUDE_CODE_OAUTH_TOKEN: 'k',
    GITHUB_TOKEN: 'k',
    AWS_SECRET_ACCESS_KEY: 'k',
    DATABASE_PASSWORD: 'p',
    PREMATH_STEP_ID: 's',
  })
})

test.each(['verify', 'startup'] as const)('%s gets no logins, but what its tests need', role => {
  expect(sandboxEnvironment(env, role)).toEqual({
    PATH: '/bin',
    TMPDIR: '/tmp',
    DATABASE_PASSWORD: 'p',
    PREMATH_STEP_ID: 's',
  })
})

test('settings of npm lose their passwords only', () => {
  const text =
    'registry=https://r\n//r/:_authToken=a\n_auth=b\n//r/:_password = c\nfund=false\n# _auth=d\n'
  expect(withoutNpmTokens(text)).toBe('registry=https://r\nfund=false\n# _auth=d\n')
})

test('no secret lies in the state that an agent shares', () => {
  const folders = agentStates.map(({ path }) => path)
  expect(secretPaths.filter(path => folders.includes(path))).toEqual([])
  for (const { shared, copied } of agentStates) {
    expect(
      shared.filter(name => /settings|hooks|plugins|config|commands|agents/.test(name)),
    ).toEqual([])
    expect(copied.filter(name => shared.includes(name))).toEqual([])
  }
})
