/** What every case may say, whatever its type. */
import { depthCeiling, sizeCeiling } from '../lang/budget.ts'
import type { KeyShape, Keys, ValueShape } from './key-shape.ts'

const status: KeyShape = {
  is: { oneOf: ['pass', 'fail', 'skip'] },
  describe: 'How a run must end.',
}

const outcomeKeys: Keys = {
  status,
  category: {
    is: { either: [{ oneOf: ['schema', 'assertion', 'runtime'] }, 'null'] },
    describe: 'Of which kind a failure must be; null where there is none.',
  },
  message_tokens: { is: { list: 'text' }, describe: 'What the message must contain.' },
}

const expect: ValueShape = {
  mapping: {
    ...outcomeKeys,
    portable: {
      is: { mapping: { ...outcomeKeys, status: { ...status, required: true } } },
      describe: 'What any implementation must come to.',
    },
    impl: {
      is: { mappingOf: { mapping: outcomeKeys } },
      describe: 'What differs for an implementation, by its name.',
    },
    overrides: {
      is: {
        list: {
          mapping: {
            runner: { is: 'name', describe: 'The implementation.', required: true },
            ...outcomeKeys,
          },
        },
      },
      describe: 'The same as a list.',
    },
  },
}

const chainKeys: Keys = {
  steps: {
    is: {
      list: {
        mapping: {
          id: { is: 'name', describe: 'What the step is called, once in a chain.', required: true },
          ref: { is: 'name', describe: 'Which cases: `[path][#case_id]`.', required: true },
          exports: {
            is: {
              mappingOf: {
                mapping: {
                  from_target: { is: 'name', describe: 'A subject of the case.', required: true },
                  path: { is: 'text', describe: 'Which part of it, `items.0.id`.' },
                  required: { is: 'flag', describe: 'Whether it must be there; true.' },
                },
              },
            },
            describe: 'What is taken from it, by name.',
          },
          allow_continue: { is: 'flag', describe: 'Whether to go on when it fails; false.' },
        },
      },
      atLeast: 1,
    },
    describe: 'In the order they run.',
    required: true,
  },
  fail_fast: { is: 'flag', describe: 'Whether the first failure ends the chain; true.' },
}

export const commonHarnessKeys: Keys = {
  chain: {
    is: { either: [{ mapping: chainKeys }, 'null'] },
    describe: 'Cases that run before this one, and what it takes from them.',
  },
  spec_lang: {
    is: {
      mapping: {
        includes: { is: { list: 'name' }, describe: 'Paths of libraries.' },
        exports: { is: { list: 'name' }, describe: 'The only names of them that are wanted.' },
        imports: {
          is: {
            list: {
              mapping: {
                from: { is: 'name', describe: 'A namespace, std.string.', required: true },
                names: {
                  is: { list: 'name', atLeast: 1 },
                  describe: 'Names of it.',
                  required: true,
                },
                as: { is: { mappingOf: 'name' }, describe: 'What a name is called here.' },
              },
            },
          },
          describe: 'Short names for builtins.',
        },
        references: {
          is: {
            mapping: {
              mode: { is: { oneOf: ['deny', 'allow'] }, describe: 'Whether any may be used.' },
              providers: { is: { list: 'name' }, describe: 'Whose.' },
              rules: { is: { mappingOf: 'any' }, describe: 'What the resolver is told.' },
            },
          },
          describe: 'Which references to outside the contract root are allowed.',
        },
        max_steps: { is: { whole: { min: 1 } }, describe: 'Steps of one expression.' },
        max_nodes: { is: { whole: { min: 1 } }, describe: 'Nodes of one expression.' },
        max_literal_bytes: { is: { whole: { min: 1 } }, describe: 'Bytes of its literals.' },
        max_depth: {
          is: { whole: { min: 1, max: depthCeiling } },
          describe: `Calls that wait for calls, up to ${depthCeiling}.`,
        },
        max_size: {
          is: { whole: { min: 1, max: sizeCeiling } },
          describe: `Characters and items that it makes, up to ${sizeCeiling}.`,
        },
        timeout_ms: { is: { whole: { min: 0 } }, describe: 'Milliseconds; 0 for no limit.' },
      },
    },
    describe: 'Libraries, names and limits of the expressions.',
  },
}

export const commonKeys: Keys = {
  id: { is: 'name', describe: 'What the case is called, once in a run.', required: true },
  type: { is: 'name', describe: 'What it does.', required: true },
  title: { is: 'text', describe: 'What it shows, in one line.' },
  purpose: { is: 'text', describe: 'Why it is there.' },
  tags: { is: { list: 'name' }, describe: 'Words to choose cases by.' },
  concurrency: {
    is: { either: ['name', { list: 'name' }] },
    describe: 'Cases that share a name here never run at the same time.',
  },
  path: { is: 'text', describe: 'A path within the contract root.' },
  assert: { is: { list: 'any' }, describe: 'What must hold.' },
  requires: {
    is: {
      mapping: {
        capabilities: { is: { list: 'text' }, describe: 'What the runner must be able to do.' },
        when_missing: { is: { oneOf: ['fail', 'skip'] }, describe: 'What to do when it is not.' },
      },
    },
    describe: 'What the case needs.',
  },
  expect: { is: expect, describe: 'How a run of the case must end, for conform.' },
  assert_health: {
    is: {
      mapping: {
        mode: {
          is: { oneOf: ['ignore', 'warn', 'error'] },
          describe: 'What to do about assertions that cannot fail.',
          required: true,
        },
      },
    },
    describe: 'Whether assertions are looked at themselves.',
  },
}
