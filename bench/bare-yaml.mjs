/** Reads the documents of a folder and parses their blocks, with positions. Nothing else. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'

const [folder] = process.argv.slice(2)
let blocks = 0
for (const name of readdirSync(folder).filter(one => one.endsWith('.spec.md'))) {
  const text = readFileSync(join(folder, name), 'utf8')
  for (const [, source] of text.matchAll(/^```yaml spec-test\n([\s\S]*?)^```$/gm)) {
    parseDocument(source, { lineCounter: new LineCounter(), keepSourceTokens: true }).toJS()
    blocks++
  }
}
if (blocks === 0) process.exitCode = 1
