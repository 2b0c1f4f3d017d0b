/** The trajectory and the graph of issues at any size. */
import type { Mutants } from './mutant.ts'

const waitGraph = {
  file: 'src/kernel/issues/graph/wait-graph.ts',
  test: 'src/kernel/issues/graph/wait-graph.test.ts',
}

const log = 'src/store/trajectory/trajectory-log.test.ts'

export const memoryTrajectoryMutants: Mutants = {
  'memory.6.graph-check': [
    {
      ...waitGraph,
      find: 'const known = hasLeft ? seenOutside : seen',
      replace: 'const known = seen',
      named: 'finds the ways that a search for each edge finds',
    },
    {
      ...waitGraph,
      find: 'known.add(id)',
      replace: 'known.add(from.id)',
      named: 'each waits for the same two',
    },
  ],
  'memory.6.clusters': [
    {
      file: 'src/store/trajectory/step-failures.ts',
      find: 'a.nanos >= b.nanos',
      replace: 'a.nanos > b.nanos',
      test: log,
      named: 'keeps the failures of the blocks',
    },
    {
      file: 'src/store/trajectory/step-answer.ts',
      find: 'if (isWhole(block, filter)) whole.add(block)',
      replace: 'if (isWhole(block, filter) && view.torn) whole.add(block)',
      test: log,
      named: 'without reading their blocks',
    },
    {
      file: 'src/store/trajectory/step-view.ts',
      find: 'new FailurePacker(known.failures)',
      replace: 'new FailurePacker(noFailures)',
      test: log,
      named: 'keeps the failures of the blocks',
    },
  ],
}
