/** The documents that a spec document uses: those of its chains and its libraries. */
import { mappingIn, textsIn } from '../spec/case/requires.ts'
import { chainOf } from '../spec/chain/chain.ts'
import { type ContractPath, contractPath, folderOf, pathFrom } from '../spec/contract-path.ts'
import { readDocument } from '../spec/document/read-document.ts'
import { libraryImports } from '../spec/lang/library-case.ts'

/** Paths from the top of the repository, which is the contract root. `path` is one too. */
export function documentsNamedIn(text: string, path: string): readonly string[] {
  const folder = folderOf(`/${path}` as ContractPath)
  const paths = readDocument(text, path).cases.flatMap(raw => {
    const libraries = [
      ...textsIn(mappingIn(mappingIn(raw.value, 'harness'), 'spec_lang'), 'includes'),
      ...libraryImports(raw.value),
    ]
    const chained = chainOf(raw)?.steps.flatMap(({ ref }) => ref.path ?? []) ?? []
    return [
      ...libraries.map(library => contractPath(library)),
      ...chained.map(document => pathFrom(folder, document)),
    ]
  })
  return paths.flatMap(found => ('refused' in found ? [] : found.path.slice(1)))
}
