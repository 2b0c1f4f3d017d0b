/** The conformance files of another implementation, as `vectors/spec-conformance/` keeps them. */
import { readFileSync } from 'node:fs'

/** By path below the contract root. */
export const conformanceFiles = (
  ...names: readonly string[]
): readonly (readonly [path: string, text: string])[] =>
  names.flatMap(name =>
    Object.entries<string>(
      JSON.parse(readFileSync(`vectors/spec-conformance/${name}.json`, 'utf8')).files,
    ),
  )

/** The classes with a document of cases that say what they expect. */
export const conformanceClasses = [
  'api_http',
  'assertion_health',
  'cli_run_entrypoint',
  'schema_case_validation',
]
