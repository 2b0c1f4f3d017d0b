/** SPEC-HARNESS-CONTRACT. */
import type { Mutants } from './mutant.ts'

const cliRun = 'src/runner/cases/cli-run.ts'
const cliRunTest = 'src/runner/cases/cli-run.test.ts'
const textFileTest = 'src/runner/cases/text-file.test.ts'
const docsTest = 'src/runner/cases/docs-generate.test.ts'
const toolTest = 'src/runner/cases/orchestration-run.test.ts'
const toolRegistry = 'src/kernel/spec/orchestration/tool-registry.ts'
const effectSymbol = 'src/kernel/spec/orchestration/effect-symbol.ts'
const effectSymbolTest = 'src/kernel/spec/orchestration/effect-symbol.test.ts'
const chainTest = 'src/runner/run-chain.test.ts'
const graph = 'src/kernel/spec/chain/chain-graph.ts'
const graphTest = 'src/kernel/spec/chain/chain-graph.test.ts'

export const specMutants: Mutants = {
  'spec.1.shared-parts': [
    {
      file: 'src/runner/execution-context.ts',
      find: 'budget: setting.budget,',
      replace: "budget: raw.type === 'text.file' ? defaultBudget : setting.budget,",
      test: 'src/runner/run-case.test.ts',
    },
    {
      file: 'src/runner/observation.ts',
      find: 'if (target === chainTarget)',
      replace: "if (target === chainTarget && this.#context.type !== 'cli.run')",
      test: 'src/runner/run-case.test.ts',
    },
    {
      file: 'src/runner/run-assertions.ts',
      find: 'if (unhealthy)',
      replace: "if (unhealthy && context.type !== 'text.file')",
      test: 'src/runner/run-case.test.ts',
    },
  ],
  'spec.2.entrypoint': [
    {
      file: 'src/runner/cases/cli-session.ts',
      find: '? [...words, ...argv] :',
      replace: '? [words[0], ...argv] :',
      test: cliRunTest,
    },
    {
      file: 'src/kernel/spec/case/cli-command.ts',
      find: 'isList(value) ? value.map(textOf) : commandWords(textOf(value))',
      replace:
        'isList(value) ? value.map(textOf) : commandWords(["sh", textOf(value)].join(" -c "))',
      test: cliRunTest,
    },
    {
      file: cliRun,
      find: "        message: 'cli.run requires explicit harness.entrypoint',\n        category: 'runtime',",
      replace: "        message: 'cli.run requires explicit harness.entrypoint',",
      test: cliRunTest,
      named: 'is required',
    },
  ],
  'spec.2.safe-mode': [
    {
      file: cliRun,
      find: '(hookBefore === undefined && hookAfter === undefined)',
      replace: 'hookBefore === undefined',
      test: cliRunTest,
    },
    {
      file: 'src/kernel/spec/case/environment.ts',
      find: "!['', '0', 'false', 'no', 'off'].includes",
      replace: "['1', 'true', 'yes', 'on'].includes",
      test: 'src/kernel/spec/case/environment.test.ts',
    },
  ],
  'spec.2.env-allowlist': {
    file: 'src/kernel/spec/case/environment.ts',
    find: "if (list.trim() === '') return env",
    replace: 'if (list.trim().length < 2) return env',
    test: 'src/kernel/spec/case/environment.test.ts',
  },
  'spec.3.cli-targets': [
    {
      file: cliRun,
      find: 'stderr: () => ({ value: stderr }),',
      replace: 'stderr: () => ({ value: stdout }),',
      test: cliRunTest,
    },
    {
      file: cliRun,
      find: 'stdout: () => ({ value: stdout }),',
      replace: 'stdout: () => ({ value: stderr }),',
      test: cliRunTest,
    },
    {
      file: cliRun,
      find: 'stdout_path: () => printed.path(),',
      replace: 'stdout_path: () => ({ value: stdout }),',
      test: cliRunTest,
    },
    {
      file: cliRun,
      find: 'stdout_path_text: () => printed.text(),',
      replace: 'stdout_path_text: () => printed.path(),',
      test: cliRunTest,
    },
  ],
  'spec.3.text-file-targets': {
    file: 'src/runner/cases/text-file.ts',
    find: 'value: text,',
    replace: 'value: path,',
    test: textFileTest,
  },
  'spec.3.docs-targets': [
    {
      file: 'src/runner/cases/docs-generate.ts',
      find: "['output_text', () => ({ value: after })],",
      replace: "['output_text', () => ({ value: body.text.trim() })],",
      test: docsTest,
    },
    {
      file: 'src/runner/cases/docs-generate.ts',
      find: "['result_json', () => ({ value: result })],",
      replace: "['result_json', () => ({ value: null })],",
      test: docsTest,
    },
  ],
  'spec.3.orchestration-targets': [
    {
      file: 'src/runner/cases/orchestration-run.ts',
      find: "['exit_code', () => ({ value: exit_code })],",
      replace: "['exit_code', () => ({ value: Math.sign(exit_code) })],",
      test: toolTest,
    },
    {
      file: 'src/runner/cases/orchestration-run.ts',
      find: "['stdout', () => ({ value: stdout })],",
      replace: "['stdout', () => ({ value: stderr })],",
      test: toolTest,
    },
    {
      file: 'src/runner/cases/orchestration-run.ts',
      find: "['stderr', () => ({ value: stderr })],",
      replace: "['stderr', () => ({ value: stdout })],",
      test: toolTest,
    },
    {
      file: 'src/runner/cases/orchestration-run.ts',
      find: "['tool_id', toolId],",
      replace: "['tool_id', implementation],",
      test: toolTest,
    },
  ],
  'spec.6.registry': [
    {
      file: toolRegistry,
      find: 'byId.get(toolId)',
      replace: 'byId.get(toolId) ?? [...byId.values()][0]',
      test: toolTest,
    },
    {
      file: 'src/kernel/spec/orchestration/tool-call.ts',
      find: "implementation: String(given.get('impl') ?? ownImplementation),",
      replace: 'implementation: ownImplementation,',
      test: toolTest,
    },
  ],
  'spec.6.deep-dot': {
    file: effectSymbol,
    find: '{2,}$/',
    replace: '{1,}$/',
    test: effectSymbolTest,
  },
  'spec.6.legacy': {
    file: effectSymbol,
    find: "  'ops.fs.read_file': 'ops.fs.file.read',\n",
    replace: '',
    test: effectSymbolTest,
  },
  'spec.6.capability': {
    file: toolRegistry,
    find: 'if (capabilities.includes(capabilityId)) return tool',
    replace: 'if (capabilities.some(one => capabilityId.startsWith(one))) return tool',
    test: toolTest,
  },
  'spec.7.surface': [
    {
      file: 'src/kernel/spec/docs/registry.ts',
      find: 'byId.get(surfaceId)',
      replace: 'byId.get(surfaceId) ?? [...byId.values()][0]',
      test: docsTest,
    },
    {
      file: 'src/kernel/spec/docs/registry.ts',
      find: 'template_path: surface.templatePath,',
      replace: '',
      test: docsTest,
    },
  ],
  'spec.7.output-mode': {
    file: 'src/runner/cases/docs-generate.ts',
    find: "if (outputMode === 'full_file') return body",
    replace: "if (outputMode === 'full_file' && before !== undefined) return body",
    test: docsTest,
  },
  'spec.7.markers': [
    {
      file: 'src/kernel/spec/docs/markers.ts',
      find: 'body.trim()}\\n$',
      replace: 'body.trim()}$',
      test: 'src/kernel/spec/docs/markers.test.ts',
    },
    {
      file: 'src/kernel/spec/docs/markers.ts',
      find: 'if (page.indexOf(start) < page.indexOf(end)) return undefined',
      replace: 'if (page !== end) return undefined',
      test: 'src/kernel/spec/docs/markers.test.ts',
    },
  ],
  'spec.7.moustache': [
    {
      file: 'src/kernel/spec/docs/template.ts',
      find: 'into.push(text.slice(at, offset))',
      replace: "into.push(text.slice(at, offset).replace(/^\\n/, ''))",
      test: 'src/kernel/spec/docs/render.test.ts',
    },
    {
      file: 'src/kernel/spec/docs/template.ts',
      find: 'if (refused !== undefined)',
      replace: "if (refused !== undefined && first !== '>')",
      test: docsTest,
    },
  ],
  'spec.7.sources': [
    {
      file: 'src/runner/cases/data-source.ts',
      find: 'if (ended.exitCode === 0)',
      replace: 'if (ended.exitCode >= 0)',
      test: docsTest,
    },
    {
      file: 'src/runner/cases/data-source.ts',
      find: "if (format === 'json') {",
      replace: "if (format === 'json' && text === '') {",
      test: docsTest,
    },
    {
      file: 'src/runner/cases/data-source.ts',
      find: "if (format === 'text') return { value: text }",
      replace: "if (format === 'text') return { value: text.trim().length }",
      test: docsTest,
    },
  ],
  'spec.8.docs-paths': [
    {
      file: 'src/runner/cases/generated-file.ts',
      find: 'realPath(place)) !== place',
      replace: "realPath(place)) === ''",
      test: docsTest,
    },
    {
      file: 'src/kernel/spec/case/check-shape.ts',
      find: "return shape === 'path' ? pathProblems(String(value), path) : []",
      replace: 'return []',
      test: docsTest,
    },
  ],
  'spec.3.chain-defaults': [
    {
      file: 'src/kernel/spec/chain/chain.ts',
      find: 'failFast: failFast !== false',
      replace: 'failFast: failFast === true',
      test: chainTest,
    },
    {
      file: 'src/kernel/spec/chain/chain.ts',
      find: "step.get('allow_continue') === true",
      replace: "step.get('allow_continue') !== false",
      test: chainTest,
    },
    {
      file: 'src/runner/run-chain.ts',
      find: 'chain.failFast && !step.allowContinue',
      replace: 'chain.failFast',
      test: chainTest,
    },
  ],
  'spec.3.chain-exports': [
    {
      file: 'src/runner/run-chain.ts',
      find: 'if (!one.required) continue',
      replace: '',
      test: chainTest,
    },
    {
      file: 'src/kernel/spec/template/fill-templates.ts',
      find: 'found = found[Number(key)]',
      replace: 'found = undefined',
      test: chainTest,
    },
    {
      file: 'src/kernel/spec/chain/chain.ts',
      find: "required: value.get('required') !== false",
      replace: "required: value.get('required') === true",
      test: chainTest,
    },
  ],
  'spec.3.chain-templates': {
    file: 'src/kernel/spec/template/fill-templates.ts',
    find: 'filler.fill(one, key)',
    replace: "key === 'argv' ? one : filler.fill(one, key)",
    test: chainTest,
  },
  'spec.3.chain-shape': [
    {
      file: 'src/kernel/spec/chain/chain.ts',
      find: "typeof id === 'string' && known.has(id.trim())",
      replace: "typeof id === 'string' && known.has('')",
      test: graphTest,
    },
    {
      file: 'src/kernel/spec/chain/chain.ts',
      find: "if (caseId === '')",
      replace: "if (caseId === '#')",
      test: graphTest,
    },
    {
      file: 'src/kernel/spec/case/common-keys.ts',
      find: "from_target: { is: 'name', describe: 'A subject of the case.', required: true },",
      replace: "from_target: { is: 'name', describe: 'A subject of the case.' },",
      test: graphTest,
    },
    {
      file: 'src/kernel/spec/case/common-keys.ts',
      find: "      atLeast: 1,\n    },\n    describe: 'The steps, in the order they run.',",
      replace: "    },\n    describe: 'The steps, in the order they run.',",
      test: graphTest,
    },
    {
      file: 'src/kernel/spec/case/common-keys.ts',
      find: "describe: 'A name that is unique in the chain.', required: true",
      replace: "describe: 'A name that is unique in the chain.'",
      test: graphTest,
    },
    {
      file: 'src/kernel/spec/case/common-keys.ts',
      find: "describe: 'The cases to run: `[path][#case_id]`.', required: true",
      replace: "describe: 'The cases to run: `[path][#case_id]`.'",
      test: graphTest,
    },
  ],
  'spec.3.chain-refs': [
    {
      file: graph,
      find: 'const cases = found.cases.filter(isExecutable)',
      replace: 'const cases = found.cases.filter(isExecutable).slice(0, 1)',
      test: graphTest,
    },
    {
      file: graph,
      find: 'const cases = found.cases.filter(isExecutable)',
      replace: 'const cases = found.cases.filter(isExecutable).reverse()',
      test: chainTest,
    },
  ],
  'spec.3.chain-self': {
    file: graph,
    find: 'if (from === undefined) return',
    replace: 'if (from === undefined || from === walk.length - 1) return',
    test: graphTest,
  },
  'spec.3.chain-cycle': {
    file: graph,
    find: 'if (broken && !endless.has(visit.raw)) endless.set(visit.raw, broken)',
    replace: '',
    test: graphTest,
  },
  'spec.4.json-subjects': [
    {
      file: 'src/kernel/spec/assert/subject.ts',
      find: ' && Number.isFinite(one)',
      replace: '',
      test: 'src/kernel/spec/assert/subject.test.ts',
    },
    {
      file: 'src/kernel/spec/assert/subject.ts',
      find: " || typeof one === 'bigint'",
      replace: '',
      test: 'src/kernel/spec/assert/subject.test.ts',
    },
    {
      file: 'src/kernel/spec/lang/read-json.ts',
      find: 'return integerIn(lexeme)',
      replace: 'return Number(lexeme)',
      test: cliRunTest,
    },
    {
      file: 'src/kernel/spec/lang/equality.ts',
      find: 'left <= right && left >= right',
      replace: 'Number(left) === Number(right)',
      test: cliRunTest,
    },
    {
      file: 'src/runner/observation.ts',
      find: ' || isJsonValue(found.value)',
      replace: ' || found.value !== undefined',
      test: 'src/runner/observation.test.ts',
    },
  ],
  'spec.4.sugar': [
    {
      file: 'src/kernel/spec/assert/sugar.ts',
      find: "isValueSubject(name) ? subject : form('std.json.parse', subject)",
      replace: 'subject',
      test: 'src/kernel/spec/assert/run-assert.test.ts',
    },
    {
      file: 'src/kernel/spec/assert/sugar.ts',
      find: "contain: (value, name) => form('std.string.contains',",
      replace: "contain: (value, name) => form('std.string.starts_with',",
      test: 'src/kernel/spec/assert/run-assert.test.ts',
    },
    {
      file: 'src/kernel/spec/assert/sugar.ts',
      find: "regex: (value, name) => form('std.string.regex_match',",
      replace: "regex: (value, name) => form('std.string.contains',",
      test: 'src/kernel/spec/assert/run-assert.test.ts',
    },
    {
      file: 'src/kernel/spec/assert/sugar.ts',
      find: 'if (isFlag(name)) return subject',
      replace: "if (isFlag(name)) return form('std.logic.not', subject)",
      test: 'src/kernel/spec/assert/run-assert.test.ts',
    },
  ],
  'spec.4.evaluator': {
    file: 'src/kernel/spec/assert/demand.ts',
    find: 'const outcome = evaluate(',
    replace: 'if (expected === actual) return undefined\n  const outcome = evaluate(',
    test: 'src/kernel/spec/assert/demand.test.ts',
  },
  'spec.5.includes': {
    file: 'src/runner/libraries.ts',
    find: 'pending.push({ path: one, at })',
    replace: '',
    test: textFileTest,
  },
  'spec.5.exports': {
    file: 'src/runner/execution-context.ts',
    find: "config.has('exports') ? textsIn(config, 'exports') : undefined",
    replace: 'undefined',
    test: textFileTest,
  },
  'spec.5.imports': {
    file: 'src/kernel/spec/lang/imports.ts',
    find: 'renamed.get(String(name)) ?? (name as string)',
    replace: '(name as string)',
    test: textFileTest,
  },
  'spec.8.setup-files': [
    {
      file: 'src/kernel/spec/contract-path.ts',
      find: 'if (isAbsolute) return',
      replace: "if (isAbsolute && text.startsWith('~')) return",
      test: cliRunTest,
    },
    {
      file: 'src/runner/run-case.ts',
      find: 'await folder.remove()',
      replace: '',
      test: cliRunTest,
    },
    {
      file: 'src/kernel/spec/contract-path.ts',
      find: "else if (kept.pop() === undefined) return { refused: 'escapes contract root' }",
      replace: 'else kept.pop()',
      test: cliRunTest,
    },
  ],
  'spec.8.virtual-root': {
    file: 'src/kernel/spec/contract-path.ts',
    find: "if (segment !== '..') kept.push(segment)",
    replace: "if (segment !== '...') kept.push(segment)",
    test: 'src/kernel/spec/contract-path.test.ts',
  },
  'spec.8.text-file-path': [
    {
      file: 'src/runner/contract-roots.ts',
      find: "realPath.startsWith(below(realRoot, '/'))",
      replace: "realPath.startsWith('/')",
      test: textFileTest,
    },
    {
      file: 'src/kernel/spec/contract-path.ts',
      find: "else if (kept.pop() === undefined) return { refused: 'escapes contract root' }",
      replace: 'else kept.pop()',
      test: textFileTest,
    },
  ],
  'spec.8.external-refs': [
    {
      file: 'src/kernel/spec/external-ref.ts',
      find: "policy.mode !== 'allow'",
      replace: 'policy.mode === undefined',
      test: 'src/kernel/spec/external-ref.test.ts',
    },
    {
      file: 'src/kernel/spec/external-ref.ts',
      find: '!offered.has(externalCapability)',
      replace: 'offered === undefined',
      test: 'src/kernel/spec/external-ref.test.ts',
    },
  ],
  'spec.9.hooks': {
    file: cliRun,
    find: "runHook('hook_after', command.hookAfter, setting, result)",
    replace: "runHook('hook_after', command.hookAfter, setting)",
    test: cliRunTest,
  },
  'spec.9.trust': [
    {
      file: 'src/operations/spec/run.ts',
      find: 'SPEC_RUNNER_ENV_ALLOWLIST',
      replace: 'SPEC_RUNNER_ENV',
      test: 'src/cli/help.test.ts',
    },
    {
      file: 'SECURITY.md',
      find: 'you do not trust is unsafe',
      replace: 'you do not trust is possible',
      test: 'src/cli/help.test.ts',
    },
  ],
  'spec.1.dispatch': [
    {
      file: 'src/runner/run-case.ts',
      find: 'run.harnesses.get(raw.type)',
      replace: "run.harnesses.get(raw.type === 'text.file' ? raw.type : 'text.file')",
      test: 'src/runner/run-case.test.ts',
    },
  ],
  'spec.2.fixtures': [
    {
      file: 'vectors/spec-conformance/cli_run_entrypoint.json',
      find: '- --json\\nexit_code: 0\\nharness:\\n  entrypoint',
      replace: '- --json\\nexit_code: 0\\nharness:\\n  entry',
      test: 'test/spec-conform.test.ts',
    },
  ],
  'spec.3.chain-relative': [
    {
      file: graph,
      find: 'pathFrom(folderOf(path), ref.path)',
      replace: "pathFrom('/', ref.path)",
      test: graphTest,
    },
  ],
  'spec.3.chain-quotes': [
    {
      file: 'src/kernel/spec/case/check-shape.ts',
      find: "if (value === null) return 'Put a text",
      replace: "if (value === undefined) return 'Put a text",
      test: graphTest,
    },
  ],
  'spec.3.chain-reentry': [
    {
      file: graph,
      find: 'for (const raw of endless.keys())',
      replace: 'for (const raw of [...endless.keys()].slice(0, 1))',
      test: chainTest,
    },
  ],
  'spec.3.includes-only': [
    {
      file: 'src/kernel/spec/chain/chain.ts',
      find: 'if (!(chain instanceof Map)) return undefined',
      replace: [
        'if (!(chain instanceof Map)) {',
        "  const included = mappingIn(mappingIn(value, 'harness'), 'spec_lang').get('includes')",
        '  const paths = Array.isArray(included) ? included.map(String) : []',
        '  const more = { exports: [], allowContinue: true, at: "" }',
        '  const steps = paths.map(path => ({ id: path, ref: { path }, ...more }))',
        '  return { failFast: true, shareFolder: false, steps }',
        '}',
      ].join('\n'),
      test: textFileTest,
    },
  ],
  'spec.4.availability': [
    {
      file: 'src/runner/observation.ts',
      find: 'if (isSubjectError(found) || isJsonValue(found.value)) return found',
      replace:
        "if (isSubjectError(found)) return { value: '' }\n    if (isJsonValue(found.value)) return found",
      test: cliRunTest,
    },
  ],
}
