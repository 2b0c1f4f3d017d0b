import type { CaseType } from '../../kernel/spec/case/key-shape.ts'

export const specLangLibrary: CaseType = {
  type: 'spec_lang.library',
  describe: 'Defines names for the expressions of other cases.',
  keys: {
    definitions: {
      is: {
        mapping: {
          public: { is: { mappingOf: 'any' }, describe: 'Names that cases can use.' },
          private: { is: { mappingOf: 'any' }, describe: 'Names that only this library can use.' },
        },
      },
      describe: 'Expressions by name.',
      required: true,
    },
    imports: {
      is: { list: { either: ['name', { mappingOf: 'any' }] } },
      describe: 'Paths of imported libraries, and short names for builtins.',
    },
  },
  harness: {},
  targets: [],
}
