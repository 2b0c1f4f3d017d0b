/** Everything premath can be asked to do. A command's words are written here and nowhere else. */
import type { Operations } from './operation.ts'

export const operations: Operations = {
  'conformance run': () => import('./conformance-run.ts').then(module => module.conformanceRun),
  'harness-join-check': () =>
    import('./harness-join-check.ts').then(module => module.harnessJoinCheck),
  schema: () => import('./schema.ts').then(module => module.schema),
}
