import { existsSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { script } from './run.mjs'

/** Bundles a script that calls sources of premath, and returns the path of the bundle. */
export async function bundled(name, folder) {
  const dir = join(folder, `${name}-bundle`)
  await build({
    input: script(name),
    platform: 'node',
    external: ['fs-native-extensions', 'jsonc-parser', 'ajv', /^ajv\//, 're2js'],
    logLevel: 'silent',
    transform: { define: { __PREMATH_VERSION__: '"bench"' } },
    output: {
      dir,
      format: 'esm',
      entryFileNames: name,
      chunkFileNames: '[name].mjs',
      codeSplitting: false,
    },
  })
  if (!existsSync(join(folder, 'node_modules'))) {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  }
  return join(dir, name)
}
