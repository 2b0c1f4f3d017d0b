import { noEffectField, textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { resolvePath } from '../../project/paths.ts'
import { McpServeAnswer } from '../../wire/answers/project.ts'
import { operation } from '../operation.ts'

const ownAnswers = 'questions are answered from issue memory'

export const mcpServe = operation({
  group: 'harness',
  summary: 'Serve the operations as tools over MCP.',
  description:
    'Serves an MCP client on stdin and stdout until the client closes them. It speaks the revisions 2026-07-28, 2025-11-25 and 2025-06-18. Each tool is a command of premath, and its answer is what the command prints with --json. A change passes the same checks as on the command line; the mode of the surface mcp in the policy counts, and whoever asks is treated as an agent. With --http it serves any number of clients at /mcp of that address, on this machine only unless --allow-host names it. Each request needs the token in --token-file. If that file does not exist, premath creates it, readable by its owner only. A port in use exits 3.',
  effect: 'read',
  opId: 'op/mcp.serve',
  input: {
    http: textField('host:port', 'Serve over HTTP at this address; port 0 takes a free one.'),
    tokenFile: textField('file', 'The file with the token that HTTP requests need.', {
      path: true,
    }),
    allowHost: textField('name', 'A name by which other machines reach the HTTP server.', {
      many: true,
    }),
    ...memoryFields,
    repoRoot: textField('folder', 'The folder of the project. Defaults to the working folder.', {
      path: true,
    }),
    serverName: textField('name', 'The name that clients are told.', { default: 'premath' }),
    serverVersion: noEffectField('text', 'clients are told the version of premath'),
    mutationPolicy: noEffectField('text', 'the policy of the project decides'),
    surface: noEffectField('text', 'each observe tool takes surfacePath'),
    issueQueryBackend: noEffectField('text', ownAnswers),
    issueQueryProjection: noEffectField('text', ownAnswers),
  },
  output: McpServeAnswer,
  examples: {
    'premath mcp-serve': 'the tools, for the client that started it',
    'premath mcp-serve --http 127.0.0.1:8765 --token-file ~/.premath-token':
      'the same for clients that have the token',
  },

  async run({ http, tokenFile, allowHost, issues, repoRoot, serverName }, context) {
    const folder = resolvePath(context.cwd(), repoRoot ?? '.')
    const memory = issues === undefined ? undefined : resolvePath(context.cwd(), issues)
    // The protocol is much code, which help and completion do not need.
    const { serveTools } = await import('../mcp-serving.ts')
    const calls = { ...context, cwd: () => folder }
    await serveTools({ http, tokenFile, allowHost, name: serverName, issues: memory }, calls)
    return { output: { action: 'mcp.serve', result: 'ended' }, yes: true, render: () => '' }
  },
})
