/** Parses one piece of YAML into nodes with offsets, and reports syntax errors. */
import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  Lexer,
  type ParsedNode,
  Parser,
} from 'yaml'
import type { BlockProblem } from './block.ts'

interface YamlNodes {
  /** `null` for an empty text. */
  readonly root: ParsedNode | null
  /** If not empty, the nodes are meaningless. */
  readonly problems: readonly BlockProblem[]
}

/** Limit for nested containers. The composer and all walkers recurse per level. */
export const yamlDepthMax = 256

/** Each token takes some hundred bytes while a block is parsed. */
const yamlWordsMax = 1_000_000

/** One syntax error tends to cause many. */
const syntaxProblemsMax = 3

const options = {
  version: '1.2',
  schema: 'core',
  prettyErrors: false,
  // Known tags produce values that are not JSON.
  resolveKnownTags: false,
  // The composer compares all keys pairwise; building the map checks each key once.
  uniqueKeys: false,
} as const

export function yamlNodes(text: string): YamlNodes {
  const { tokens, tooMuch } = tokensOf(text)
  if (tooMuch) return { root: null, problems: [tooMuch] }
  const composer = new Composer(options)
  const problems = fewProblemsOf(composer)
  const [document, second] = [...composer.compose(fewErrors(tokens), true, text.length)]
  if (!document) return { root: null, problems: [] }
  problems.push(...[...document.errors, ...document.warnings].map(syntaxProblem))
  if (second) problems.push(secondDocument(second.range[0]))
  problems.push(...directiveProblems(document))
  return {
    root: document.contents,
    problems: problems.sort((a, b) => a.offset - b.offset).slice(0, syntaxProblemsMax),
  }
}

interface Tokens {
  readonly tokens: readonly CST.Token[]
  readonly tooMuch?: BlockProblem
}

/** Counts while reading, so that input beyond the limits is never built up. */
function tokensOf(text: string): Tokens {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  let words = 0
  for (const word of new Lexer().lex(text)) {
    for (const token of parser.next(word)) tokens.push(token)
    // The stack also holds the document and a scalar in the deepest container.
    const tooMuch =
      parser.stack.length > yamlDepthMax + 2
        ? tooDeep
        : ++words > yamlWordsMax
          ? tooLong
          : undefined
    if (tooMuch) return { tokens: [], tooMuch: { offset: parser.offset - word.length, ...tooMuch } }
  }
  tokens.push(...parser.end())
  return { tokens }
}

const tooDeep: Omit<BlockProblem, 'offset'> = {
  code: 'yaml.too_deep',
  message: `this value is nested deeper than ${yamlDepthMax} levels`,
  hint: 'Split it: move parts of it to a library, or build it in several steps.',
}

const tooLong: Omit<BlockProblem, 'offset'> = {
  code: 'yaml.too_long',
  message: `this block has more than ${yamlWordsMax} tokens`,
  hint: 'Split its cases into several blocks.',
}

/** Each error token would become an error object with a stack trace. */
function fewErrors(tokens: readonly CST.Token[]): CST.Token[] {
  let errors = 0
  return tokens.filter(({ type }) => type !== 'error' || ++errors <= syntaxProblemsMax)
}

/**
 * Replaces the composer's error collector. Each collected error costs a kilobyte, and a text can
 * have one for every second character.
 */
function fewProblemsOf(composer: Composer): BlockProblem[] {
  const problems: BlockProblem[] = []
  const onError = (source: ErrorSource, code: ErrorCode, message: string) => {
    if (problems.length < syntaxProblemsMax) {
      problems.push(syntaxProblem({ code, message, pos: [offsetOf(source)] }))
    }
  }
  Object.assign(composer, { onError })
  return problems
}

type ErrorSource = number | readonly [number, ...number[]] | { readonly offset: number }

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source
  return 'offset' in source ? source.offset : source[0]
}

interface SyntaxError {
  readonly code: ErrorCode
  readonly message: string
  readonly pos: readonly [number, ...number[]]
}

function syntaxProblem({ code, message, pos }: SyntaxError): BlockProblem {
  const known = syntax[code]
  const offset = pos[0]
  if (known) return { offset, ...known }
  const hint = remedies[code] ?? 'Put text that looks like YAML syntax into quotes.'
  return { offset, code: 'yaml.syntax', message: plain(message), hint }
}

/** Remedies for common mistakes. */
const remedies: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_ALIAS: 'Put text that starts with * or & into quotes.',
  BAD_DQ_ESCAPE: 'Write \\\\ for a backslash, or use single quotes.',
  BAD_INDENT: 'Align it with its siblings, and close every [ and {.',
  BAD_SCALAR_START: 'Put text that starts with @, ` or % into quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Put text that contains a colon and a space into quotes.',
  BLOCK_IN_FLOW:
    'Put text that contains a colon and a space into quotes, or write { } around a mapping.',
  MISSING_CHAR: 'Close every quote and bracket, and write a colon and a space after a key.',
  MULTILINE_IMPLICIT_KEY: 'Write a key on one line, with a colon and a space after it.',
}

const syntax: Readonly<Record<string, Omit<BlockProblem, 'offset'>>> = {
  TAB_AS_INDENT: {
    code: 'yaml.tab',
    message: 'a tab is used as indentation',
    hint: 'Replace the tab with spaces.',
  },
  TAG_RESOLVE_FAILED: {
    code: 'yaml.tag',
    message: 'this tag is not supported',
    hint: 'Remove the tag. A spec holds text, numbers, true, false, null, lists and mappings.',
  },
}

const plain = (message: string) => message.charAt(0).toLowerCase() + message.slice(1)

const secondDocument = (offset: number): BlockProblem => ({
  offset,
  code: 'yaml.second_document',
  message: 'a second YAML document begins',
  hint: 'Write the cases as a list, or each in its own block.',
})

/** Another YAML version reads `yes` or `010` differently, which the case would not show. */
function directiveProblems({ directives, contents }: Document.Parsed): BlockProblem[] {
  if (!directives.yaml.explicit || directives.yaml.version === '1.2') return []
  return [
    {
      offset: contents?.range[0] ?? 0,
      code: 'yaml.version',
      message: `this block declares YAML ${directives.yaml.version}`,
      hint: 'Remove the line that starts with %YAML. Specs are YAML 1.2.',
    },
  ]
}
