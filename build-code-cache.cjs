/**
 * Runs the built command once and keeps what V8 compiled for each chunk it loaded. `build.mjs`
 * starts it; `src/cli/code-cache.ts` reads the files and knows them by the same name.
 */
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { Module } = require('node:module')
const { resolve } = require('node:path')
const v8 = require('node:v8')
const { Script } = require('node:vm')

const main = resolve('dist/cli/main.cjs')
const suffix = `.${process.version}-${process.platform}-${process.arch}.cache`
const scripts = new Map()

function load(module, path) {
  const script = new Script(Module.wrap(readFileSync(path, 'latin1').replace(/^#!.*/, '')), {
    filename: path,
  })
  scripts.set(path, script)
  const require = id => module.require(id)
  script.runInThisContext()(module.exports, require, module, path, module.path)
}

// What is compiled under other flags is refused by a Node that starts without them.
v8.setFlagsFromString = () => {}

// The command brings its own loader, which would only look for the files we are here to make.
Object.defineProperty(Module._extensions, '.cjs', { get: () => load, set: () => {} })

// At the end, because by then it holds the functions that were compiled on their first call.
process.on('exit', () => {
  for (const [path, script] of scripts) {
    if (path !== main && !existsSync(path + suffix)) {
      writeFileSync(path + suffix, script.createCachedData())
    }
  }
})

process.argv.splice(1, 1, main)
require(main)
