/** Fails where V8 would refuse what the build keeps: that costs a start more than nothing kept. */
const { readdirSync, readFileSync } = require('node:fs')
const { Module } = require('node:module')
const { resolve } = require('node:path')
const { Script } = require('node:vm')

const suffix = `.${process.version}-${process.platform}-${process.arch}.cache`
for (const file of readdirSync('dist/cli').filter(name => name.endsWith(suffix))) {
  const path = resolve('dist/cli', file.slice(0, -suffix.length))
  const cachedData = readFileSync(path + suffix)
  const source = Module.wrap(readFileSync(path, 'latin1'))
  const { cachedDataRejected } = new Script(source, { filename: path, cachedData })
  if (cachedDataRejected) throw new Error(`V8 refuses ${file}`)
}
