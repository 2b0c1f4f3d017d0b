/** The keys that every type of case has. */
import { depthCeiling, expressionMsCeiling, sizeCeiling } from '../lang/budget.ts'
import type { KeyShape, Keys, ValueShape } from './key-shape.ts'
import { masksKey } from './masks.ts'

const status: KeyShape = {
  is: { oneOf: ['pass', 'fail', 'skip'] },
  describe: 'The expected status.',
}

const outcomeKeys: Keys = {
  status,
  category: {
    is: { either: [{ oneOf: ['schema', 'assertion', 'runtime'] }, 'null'] },
    describe: 'The expected failure category; null for none.',
  },
  message_tokens: {
    is: { list: 'text' },
    describe: 'Texts that the failure message must contain.',
  },
}

const expect: ValueShape = {
  mapping: {
    ...outcomeKeys,
    portable: {
      is: { mapping: { ...outcomeKeys, status: { ...status, required: true } } },
      describe: 'The outcome expected of every implementation.',
    },
    impl: {
      is: { mappingOf: { mapping: outcomeKeys } },
      describe: 'Differences by implementation name.',
    },
    overrides: {
      is: {
        list: {
          mapping: {
            runner: { is: 'name', describe: 'The name of the implementation.', required: true },
            ...outcomeKeys,
          },
        },
      },
      describe: 'The same differences as a list.',
    },
  },
}

const chainKeys: Keys = {
  steps: {
    is: {
      list: {
        mapping: {
          id: { is: 'name', describe: 'A name that is unique in the chain.', required: true },
          ref: { is: 'name', describe: 'The cases to run: `[path][#case_id]`.', required: true },
          exports: {
            is: {
              mappingOf: {
                mapping: {
                  from_target: { is: 'name', describe: 'A subject of the case.', required: true },
                  path: { is: 'text', describe: 'A path into the subject, such as `items.0.id`.' },
                  required: { is: 'flag', describe: 'Fail if the value is missing; default true.' },
                },
              },
            },
            describe: 'Values to export, by name.',
          },
          allow_continue: { is: 'flag', describe: 'Continue if the step fails; default false.' },
        },
      },
      atLeast: 1,
    },
    describe: 'The steps, in the order they run.',
    required: true,
  },
  fail_fast: { is: 'flag', describe: 'Stop at the first failure; default true.' },
  share_folder: {
    is: 'flag',
    describe:
      'Run the steps and the case in one temporary folder, apart from other runs of the same cases; default false.',
  },
}

export const commonHarnessKeys: Keys = {
  chain: {
    is: { either: [{ mapping: chainKeys }, 'null'] },
    describe: 'Cases to run before this one, and the values they export.',
  },
  masks: masksKey,
  spec_lang: {
    is: {
      mapping: {
        includes: { is: { list: 'name' }, describe: 'Paths of libraries to include.' },
        exports: {
          is: { list: 'name' },
          describe: 'The library names to use; default all public names.',
        },
        imports: {
          is: {
            list: {
              mapping: {
                from: { is: 'name', describe: 'A namespace, such as std.string.', required: true },
                names: {
                  is: { list: 'name', atLeast: 1 },
                  describe: 'Names in the namespace.',
                  required: true,
                },
                as: { is: { mappingOf: 'name' }, describe: 'New names, by original name.' },
              },
            },
          },
          describe: 'Short names for builtins.',
        },
        references: {
          is: {
            mapping: {
              mode: {
                is: { oneOf: ['deny', 'allow'] },
                describe: 'Deny or allow references; default deny.',
              },
              providers: { is: { list: 'name' }, describe: 'The allowed providers.' },
              rules: { is: { mappingOf: 'any' }, describe: 'Settings for the resolver.' },
            },
          },
          describe: 'Rules for references to documents outside the contract root.',
        },
        max_steps: { is: { whole: { min: 1 } }, describe: 'Maximum steps of one expression.' },
        max_nodes: { is: { whole: { min: 1 } }, describe: 'Maximum nodes of one expression.' },
        max_literal_bytes: {
          is: { whole: { min: 1 } },
          describe: 'Maximum bytes of the literals in one expression.',
        },
        max_depth: {
          is: { whole: { min: 1, max: depthCeiling } },
          describe: `Maximum depth of nested calls, up to ${depthCeiling}.`,
        },
        max_size: {
          is: { whole: { min: 1, max: sizeCeiling } },
          describe: `Maximum characters and items that one expression creates, up to ${sizeCeiling}.`,
        },
        timeout_ms: {
          is: { whole: { min: 0, max: expressionMsCeiling } },
          describe: `Timeout of one expression in milliseconds, up to ${expressionMsCeiling}, which 0 stands for.`,
        },
      },
    },
    describe: 'Libraries, names and limits for expressions.',
  },
}

export const commonKeys: Keys = {
  id: { is: 'name', describe: 'A name that is unique in the run.', required: true },
  type: { is: 'name', describe: 'The type of the case, such as `cli.run`.', required: true },
  title: { is: 'text', describe: 'A one-line title.' },
  purpose: { is: 'text', describe: 'The reason for the case.' },
  tags: { is: { list: 'name' }, describe: 'Words to select cases by.' },
  concurrency: {
    is: { either: ['name', { list: 'name' }] },
    describe: 'Names of locks. Cases that share one never run at the same time.',
  },
  path: { is: 'text', describe: 'A path in the contract root.' },
  assert: { is: { list: 'any' }, describe: 'The assertions.' },
  requires: {
    is: {
      mapping: {
        capabilities: { is: { list: 'text' }, describe: 'Capabilities that the runner must have.' },
        when_missing: {
          is: { oneOf: ['fail', 'skip'] },
          describe: 'Fail or skip the case if a capability is missing.',
        },
      },
    },
    describe: 'Requirements for the runner.',
  },
  expect: { is: expect, describe: 'The expected outcome. A run judges the case by it.' },
  assert_health: {
    is: {
      mapping: {
        mode: {
          is: { oneOf: ['ignore', 'warn', 'error'] },
          describe: 'Ignore, warn or fail on assertions that cannot fail.',
          required: true,
        },
      },
    },
    describe: 'The check for assertions that cannot fail.',
  },
}
