/** The start-up command, read from flags and configuration. */
import type { InputOf } from '../field.ts'
import type { BootOptions } from '../harness/boot.ts'
import type { Config } from '../wire/config/config.ts'
import type { startupFields } from './harness-fields.ts'

export const startupOptions = (
  { startupCmd, startupTimeoutSeconds }: InputOf<typeof startupFields>,
  { startup, timeouts }: Config,
): BootOptions => ({
  startupCommand: startupCmd ?? startup,
  startupTimeoutMs: (startupTimeoutSeconds ?? timeouts.startupSeconds) * 1000,
})
