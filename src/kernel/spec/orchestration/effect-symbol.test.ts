import { expect, test } from 'vitest'
import { symbolProblem } from './effect-symbol.ts'

test.each([
  'ops.fs.file.read',
  'ops.time.clock.now_utc',
  'ops.proc.command.exec',
  'ops.fs.file.read_all',
  'ops.net.http2',
  'ops.a.b.c.d.e',
])('[spec.6.deep-dot] %s is a name', symbol => {
  expect(symbolProblem(symbol)).toBeUndefined()
})

test.each([
  'ops',
  'ops.',
  'ops.proc',
  'ops..exec',
  'ops.proc.',
  'ops.proc._exec',
  'ops.proc.Command',
  'ops.proc.command-exec',
  'Ops.proc.command',
  'my.ops.proc.command',
  ' ops.proc.command',
  'ops.proc.command\n',
  'ops_proc_command_exec',
])('[spec.6.deep-dot] %j is not', symbol => {
  expect(symbolProblem(symbol)?.message).toContain('ORCHESTRATION_OPS_DEEP_DOT_REQUIRED')
})

const verbs = ['read_file', 'write_file', 'list_dir', 'path_exists']
test.each([
  ...['ops.exec', 'ops.proc.exec', 'ops.now_utc', 'ops.time.now_utc'],
  ...verbs.flatMap(verb => [`ops.${verb}`, `ops.fs.${verb}`]),
])('[spec.6.legacy] %s is a legacy name, and the hint has a good one', symbol => {
  const { message = '', hint = '' } = symbolProblem(symbol) ?? {}
  expect(message).toContain('ORCHESTRATION_OPS_UNDERSCORE_LEGACY_FORBIDDEN')
  expect(symbolProblem(hint.replace(/^Write (.*)\.$/, '$1'))).toBeUndefined()
})
