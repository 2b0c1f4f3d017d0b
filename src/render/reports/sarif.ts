/** SARIF 2.1.0, as code scanning reads it. */
import { printJson } from '../../kernel/text/print-json.ts'
import { version } from '../../project/version.ts'
import type { Reported, ReportedProblem } from './reported.ts'

const sourceRoot = '%SRCROOT%'

export function sarif({ problems, checkoutPath }: Reported): string {
  const codes = [...new Set(problems.map(({ code }) => code))].sort()
  return printJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'premath',
            semanticVersion: version,
            rules: codes.map(code => ruleOf(code, problems)),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: {
          [sourceRoot]: { description: { text: 'The top of the checkout.' } },
        },
        results: problems.map(one => ({
          ruleId: one.code,
          ruleIndex: codes.indexOf(one.code),
          level: one.severity,
          message: { text: one.hint === undefined ? one.message : `${one.message}\n${one.hint}` },
          locations: [{ physicalLocation: locationOf(one, checkoutPath(one.file)) }],
        })),
      },
    ],
  })
}

/** `yaml.duplicate_key` is of yaml, a duplicate key. */
function ruleOf(code: string, problems: readonly ReportedProblem[]) {
  const isError = problems.some(one => one.code === code && one.severity === 'error')
  const [area = '', ...rest] = code.split('.')
  const words = rest.join(' ').replaceAll('_', ' ')
  return {
    id: code,
    shortDescription: { text: words === '' ? area : `${area}: ${words}` },
    defaultConfiguration: { level: isError ? 'error' : 'warning' },
  }
}

function locationOf({ line, column, lineText }: ReportedProblem, path: string) {
  const isBelow = !path.startsWith('/')
  return {
    artifactLocation: {
      uri: isBelow ? uriOf(path) : `file://${uriOf(path)}`,
      ...(isBelow && { uriBaseId: sourceRoot }),
    },
    region: {
      startLine: line,
      startColumn: column,
      ...(lineText !== '' && { snippet: { text: lineText } }),
    },
  }
}

/** A name may hold anything but a slash, and a URI little else than letters. */
const uriOf = (path: string) => path.toWellFormed().split('/').map(encodeURIComponent).join('/')
