/** Fields common to the spec commands. */
import type { Fields } from '../../field.ts'

export const specFields = {
  path: {
    type: 'text',
    describe:
      'A document, a folder of documents or a pattern such as "docs/**/*.spec.md"; this folder when left out.',
    placeholder: 'path',
    positional: true,
    many: true,
    path: true,
  },
  format: {
    type: 'choice',
    values: ['md', 'yaml', 'json'],
    describe:
      'What to look for in folders: *.spec.md, *.spec.yaml or *.spec.json; md when left out.',
    many: true,
  },
  root: {
    type: 'text',
    describe:
      'The contract root, which / means in a spec; the nearest folder with .git when left out, or the folder of the document.',
    placeholder: 'dir',
    path: true,
  },
} as const satisfies Fields
