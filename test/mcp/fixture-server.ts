/**
 * A server on the product's HTTP transport, with the tools, prompts and resources that the official
 * conformance suite asks for. It prints its address, and ends with its input.
 */
import { Server } from '@modelcontextprotocol/server'
import { serveHttp } from '../../src/mcp/serve-http.ts'

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
})

type Content =
  | ReturnType<typeof text>
  | typeof image
  | ReturnType<typeof resource>
  | { type: 'audio'; data: string; mimeType: string }

const plainTools: Readonly<Record<string, readonly Content[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
}

const schemaTool = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: {
      address: {
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
}

const pause = () => new Promise(go => setTimeout(go, 50))

const prompts: Readonly<Record<string, readonly string[]>> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
  test_prompt_with_image: [],
}

function promptOf(name: string, given: Readonly<Record<string, string>>): readonly Content[] {
  if (name === 'test_simple_prompt') return [text('This is a simple prompt for testing.')]
  if (name === 'test_prompt_with_image') return [image, text('Please analyze the image above.')]
  if (name === 'test_prompt_with_arguments') {
    const { arg1, arg2 } = given
    return [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)]
  }
  const uri = given['resourceUri'] ?? ''
  return [
    resource(uri, 'text/plain', 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ]
}

function fixtures(): Server {
  const server = new Server(
    { name: 'fixtures', version: '1' },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        logging: {},
        completions: {},
      },
    },
  )
  const named = (name: string) => ({
    name,
    description: 'A fixture.',
    inputSchema: { type: 'object' as const },
  })
  server.setRequestHandler('tools/list', async () => ({
    tools: [
      ...Object.keys(plainTools),
      'test_tool_with_logging',
      'test_tool_with_progress',
      'test_error_handling',
    ]
      .map(named)
      .concat([schemaTool]),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const content = plainTools[params.name]
    if (content) return { content: [...content] }
    if (params.name === 'test_error_handling') {
      return {
        isError: true,
        content: [text('This tool intentionally returns an error for testing')],
      }
    }
    const progressToken = mcpReq._meta?.progressToken
    for (const [at, words] of ['started', 'processing data', 'completed'].entries()) {
      if (at > 0) await pause()
      if (params.name === 'test_tool_with_logging') await mcpReq.log('info', `Tool ${words}`)
      else if (progressToken !== undefined) {
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: at * 50, total: 100 },
        })
      }
    }
    return { content: [text('Done.')] }
  })
  server.setRequestHandler('resources/list', async () => ({
    resources: ['test://static-text', 'test://static-binary', 'test://watched-resource'].map(
      uri => ({ uri, name: uri, description: 'A fixture.' }),
    ),
  }))
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    if (uri === 'test://static-binary') {
      return { contents: [{ uri, mimeType: 'image/png', blob: png }] }
    }
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
    if (id !== undefined) {
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
      return { contents: [{ uri, mimeType: 'application/json', text: data }] }
    }
    const words = 'This is the content of the static text resource.'
    return { contents: [{ uri, mimeType: 'text/plain', text: words }] }
  })
  server.setRequestHandler('resources/subscribe', async () => ({}))
  server.setRequestHandler('resources/unsubscribe', async () => ({}))
  server.setRequestHandler('completion/complete', async () => ({ completion: { values: [] } }))
  server.setRequestHandler('prompts/list', async () => ({
    prompts: Object.entries(prompts).map(([name, args]) => ({
      name,
      description: 'A fixture.',
      arguments: args.map(arg => ({ name: arg, description: 'An argument.', required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }) => ({
    messages: promptOf(name, given).map(content => ({ role: 'user' as const, content })),
  }))
  return server
}

const { url } = await serveHttp(
  fixtures,
  { host: '127.0.0.1', port: 0, allowedHosts: [], isToken: token => token === 'fixture' },
  () => {},
)
console.log(url)
process.stdin.on('end', () => process.exit(0)).resume()
