import type { SerializedError, TestModule, TestRunEndReason } from 'vitest/node'
import { DefaultReporter } from 'vitest/node'

/**
 * Vitest's own report, with each suite's seconds, the failures as soon as they are known, because a
 * run may take an hour and be ended before, and one plain closing line to count by.
 */
export default class SuiteReporter extends DefaultReporter {
  protected override printTestModule(module: TestModule): void {
    const tests = [...module.children.allTests()].length
    const { collectDuration, duration } = module.diagnostic()
    const mark = module.ok() ? 'ok  ' : 'FAIL'
    const seconds = ((collectDuration + duration) / 1000).toFixed(2).padStart(7)
    this.log(`${mark} ${seconds} s  ${module.relativeModuleId} (${tests} tests)`)
    if (!module.ok()) for (const line of failuresOf(module)) this.log(line)
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    super.onTestRunEnd(modules, unhandled, reason)
    process.stdout.write(`${closingLine(modules, unhandled.length)}\n`)
  }
}

function failuresOf(module: TestModule): readonly string[] {
  const failed = [...module.children.allTests('failed')]
  return failed.flatMap(test => [
    `  ${test.fullName}`,
    ...(test.result().errors ?? []).map(({ message }) => `    ${message.split('\n')[0]}`),
  ])
}

/** A suite that could not be loaded, and an error outside any test, each count as one failure. */
function closingLine(modules: readonly TestModule[], unhandled: number): string {
  const tests = modules.flatMap(module => [...module.children.allTests()])
  const having = (state: string) => tests.filter(test => test.result().state === state).length
  const unloaded = modules.filter(module => module.errors().length > 0).length
  const skipped = having('skipped')
  const counts = `${having('passed')} passed, ${having('failed') + unloaded + unhandled} failed`
  return skipped > 0 ? `${counts}, ${skipped} skipped` : counts
}
