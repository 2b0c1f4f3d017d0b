import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest suites, the slowest first. One that starts last runs alone on an idle machine. */
const longest = [
  'test/landing-run.test.ts',
  'test/remedies-landing.test.ts',
  'test/own-specs.test.ts',
  'test/readme.test.ts',
  'test/attacks.test.ts',
  'test/harness-loop-coordinator.test.ts',
  'test/door-chain.test.ts',
  'test/work-checkout.test.ts',
  'test/merge-git-histories.test.ts',
  'test/mcp/close-landing.test.ts',
  'test/mcp/close-queue.test.ts',
  'test/mcp/tools.test.ts',
  'test/witness-rerun.test.ts',
  'test/harness-loop.test.ts',
  'test/harness-step.test.ts',
  'test/landing-kills.test.ts',
  'test/landing-protection.test.ts',
  'test/relocation.test.ts',
  'test/harness-loop-worker.test.ts',
  'test/spec-http-service.test.ts',
  'test/spec-from-curl.test.ts',
  'test/landing-revert.test.ts',
  'test/spec-secrets.test.ts',
  'test/sandbox.test.ts',
  'test/demo.test.ts',
  'test/cli.test.ts',
  'test/signed-proofs.test.ts',
  'test/mcp/reference-memory.test.ts',
  'test/mcp/bad-input.test.ts',
  'src/harness/worktree/worktree-creation.test.ts',
  'test/sim/loop.test.ts',
  'test/fuzz.test.ts',
  'src/kernel/spec/document/read-document.test.ts',
]

/** Suites of one project follow each other, so that they share a process. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const at = longest.findIndex(name => moduleId.endsWith(`/${name}`))
      const place = at === -1 ? longest.length : at
      return place + (project.name === 'starting' ? 0 : 100)
    }
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
