import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest suites, the slowest first. One that starts last runs alone on an idle machine. */
const longest = [
  'test/own-specs.test.ts',
  'test/relocation.test.ts',
  'test/cli.test.ts',
  'test/readme.test.ts',
  'test/door-chain.test.ts',
  'test/harness-loop-worker.test.ts',
  'test/harness-step.test.ts',
  'test/sim/loop.test.ts',
  'src/kernel/spec/author/format-document.test.ts',
  'test/harness-loop-coordinator.test.ts',
  'test/loop-run.test.ts',
  'test/loop-torture.test.ts',
  'test/harness-loop.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex(name => moduleId.endsWith(`/${name}`))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
