/** Fields common to the spec commands. */
import { choiceField, type Fields, textField } from '../../field.ts'

export const specFields = {
  path: textField(
    'path',
    'A document, a folder of documents or a pattern such as "docs/**/*.spec.md"; when left out, the setting specs in the root of a project, otherwise this folder.',
    { positional: true, many: true, path: true },
  ),
  format: choiceField(
    ['md', 'yaml', 'json'],
    'What to look for in folders: *.spec.md, *.spec.yaml or *.spec.json; md when left out.',
    { many: true },
  ),
  root: textField(
    'dir',
    'The contract root, which / means in a spec; the nearest folder with .git when left out, or the folder of the document.',
    { path: true },
  ),
} as const satisfies Fields
