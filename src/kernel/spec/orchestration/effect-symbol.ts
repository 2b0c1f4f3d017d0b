/** Names of effects: `ops.<segment>(.<segment>)+`, such as `ops.proc.command.exec`. */

export interface SymbolProblem {
  readonly message: string
  readonly hint: string
}

const deepDot = /^ops(?:\.[a-z0-9][a-z0-9_]*){2,}$/

/** Each has a name in the hierarchy instead. */
const legacy: Readonly<Record<string, string>> = {
  'ops.exec': 'ops.proc.command.exec',
  'ops.proc.exec': 'ops.proc.command.exec',
  'ops.now_utc': 'ops.time.clock.now_utc',
  'ops.time.now_utc': 'ops.time.clock.now_utc',
  'ops.read_file': 'ops.fs.file.read',
  'ops.fs.read_file': 'ops.fs.file.read',
  'ops.write_file': 'ops.fs.file.write',
  'ops.fs.write_file': 'ops.fs.file.write',
  'ops.list_dir': 'ops.fs.dir.list',
  'ops.fs.list_dir': 'ops.fs.dir.list',
  'ops.path_exists': 'ops.fs.path.exists',
  'ops.fs.path_exists': 'ops.fs.path.exists',
}

/** `undefined` for a good name. */
export function symbolProblem(symbol: string): SymbolProblem | undefined {
  const now = Object.hasOwn(legacy, symbol) ? legacy[symbol] : undefined
  if (now !== undefined) {
    const message = `ORCHESTRATION_OPS_UNDERSCORE_LEGACY_FORBIDDEN: ${symbol} is a legacy name`
    return { message, hint: `Write ${now}.` }
  }
  if (deepDot.test(symbol)) return undefined
  const message = `ORCHESTRATION_OPS_DEEP_DOT_REQUIRED: ${JSON.stringify(symbol)} is not of the form ops.<segment>.<segment>`
  return { message, hint: 'Write a name such as ops.proc.command.exec.' }
}
