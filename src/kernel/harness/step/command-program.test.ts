import { expect, test } from 'vitest'
import { programOf } from './command-program.ts'

test.each([
  ['agent run', 'agent'],
  ['  ./agent.sh', './agent.sh'],
  ['npm test', 'npm'],
  ['a;b', 'a'],
  ['a|b', 'a'],
  ['a>out', 'a'],
  ['a&&b', 'a'],
  ['python3.11 x.py', 'python3.11'],
  ['agent\nother', 'agent'],
  ['2to3 x', '2to3'],
])('the program of %j is %s', (command, program) => {
  expect(programOf(command)).toBe(program)
})

test.each([
  'true',
  'cd x && agent',
  'if a; then b; fi',
  'exec agent',
  '[ -e x ] || agent',
  '! agent',
  '{ agent; }',
  '(agent)',
  'f() { agent; }; f',
  'A=1 agent',
  '"my agent" run',
  "'agent'",
  '$AGENT run',
  'ag$X',
  '`agent`',
  '~/bin/agent',
  'ag*',
  '\\agent',
  '# nothing',
  '2>err agent',
  '<in agent',
  '',
])('only a shell can tell the program of %j', command => {
  expect(programOf(command)).toBeUndefined()
})
