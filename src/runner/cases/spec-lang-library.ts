import type { CaseType } from '../../kernel/spec/case/case-type.ts'

export const specLangLibrary: CaseType = {
  type: 'spec_lang.library',
  describe: 'Defines names that expressions of other cases may use.',
  keys: {
    definitions: {
      is: {
        mapping: {
          public: { is: { mappingOf: 'any' }, describe: 'Names that cases can see.' },
          private: { is: { mappingOf: 'any' }, describe: 'Names for this library alone.' },
        },
      },
      describe: 'Expressions by name.',
      required: true,
    },
    imports: {
      is: { list: { either: ['name', { mappingOf: 'any' }] } },
      describe: 'Paths of libraries this one builds on, and short names for builtins.',
    },
  },
  harness: {},
  targets: [],
}
