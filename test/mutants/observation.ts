/** The observation surface. */
import type { Mutants } from './mutant.ts'

const test = 'test/observe-commands.test.ts'

export const observationMutants: Mutants = {
  'runtime.3.1.observation': [
    {
      file: 'src/harness/boot.ts',
      find: 'accepted: found.length === 0,',
      replace: 'accepted: found.length === 0 && !observation?.needsAttention,',
      test,
    },
    {
      file: 'src/harness/observed-attention.ts',
      find: 'attentionReasons: attentionReasons(surface),',
      replace: 'attentionReasons: [],',
      test,
    },
  ],
  'tusk.7.observation': [
    {
      file: 'src/project/observation/surface-file.ts',
      find: "surfacePathDefault = 'artifacts/observation/latest.json'",
      replace: "surfacePathDefault = 'artifacts/observation/surface.json'",
      test,
    },
    {
      file: 'src/kernel/observation/surface.ts',
      find: '...instructions.map(payload =>',
      replace: '...instructions.slice(1).map(payload =>',
      test,
    },
  ],
  'tusk.13.observation-boundary': {
    file: 'src/operations/observe/build.ts',
    find: 'if (parts.settle()) await keepParts(parts, project)',
    replace: `if (parts.settle()) await keepParts(parts, project)
    await write(project.at('.premath/harness_session.json'), eventLines(surface))`,
    test,
  },
  'tusk.14.2.observe': [
    {
      file: 'src/kernel/observation/read-surface.ts',
      find: "(match === 'compatibility_alias' && row",
      replace: '(row',
      test,
    },
    {
      file: 'src/kernel/observation/read-surface.ts',
      find: "row['instructionId'] === instructionId",
      replace: "row['instructionId'] !== ''",
      test,
    },
  ],
}
