/** Reads a YAML file that holds no cases, such as data or a registry. */
import type { ParsedNode } from 'yaml'
import type { SpecValue } from '../lang/value.ts'
import { blockOf, problemIn } from './block.ts'
import { findByPath } from './node-path.ts'
import { isError, type Place, type Problem } from './raw-case.ts'
import { documentBytesMax } from './read-document.ts'
import { sourceText } from './source-text.ts'
import { yamlNodes } from './yaml-nodes.ts'
import { ValueReader } from './yaml-value.ts'

interface YamlFile {
  readonly value: SpecValue
  /** The place of the value at a path such as `tools[0].id`, or of its nearest ancestor. */
  placeOf(path: string): Place
}

export function readYamlFile(text: string, file: string): YamlFile | readonly Problem[] {
  const source = sourceText(text, file)
  if (text.length > documentBytesMax) return [{ place: source.placeAt(0), ...tooLarge }]
  const block = blockOf(source, source.text, 0)
  const { root, problems } = yamlNodes(block.text)
  if (problems.length > 0) return problems.map(one => problemIn(block, one))
  const read = new ValueReader().read(root)
  const errors = read.problems.map(one => problemIn(block, one)).filter(isError)
  if (errors.length > 0) return errors
  const offsetOf = (node: ParsedNode | null, path: string) =>
    node === null ? 0 : findByPath(node, path, () => null).value
  return { value: read.value, placeOf: path => block.place(offsetOf(root, path)) }
}

const tooLarge: Omit<Problem, 'place'> = {
  code: 'document.too_large',
  message: `is larger than ${documentBytesMax / 1024 / 1024} MB`,
  hint: 'Write it as JSON, which is faster to read.',
}
