/**
 * A small HTTP service for tests: orders in a file, a real OAuth server beside it, and CORS for one
 * origin. It prints its port, and appends its process id and port to the file RECORD.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { errors, Provider } from 'oidc-provider'

const {
  ORDERS_ID: id,
  ORDERS_SECRET: secret,
  SPEC_RUNNER_TMP: folder,
  RECORD: record,
} = process.env
const database = join(folder, 'orders.json')
const origin = 'https://shop.example'
const scopes = ['orders:read', 'orders:write']

const orders = () => (existsSync(database) ? JSON.parse(readFileSync(database, 'utf8')) : [])
const keep = list => writeFileSync(database, JSON.stringify(list))

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://service')
  console.log(`${request.method} ${url.pathname}`)
  if (url.pathname === '/health') return response.end('ok')
  if (!url.pathname.startsWith('/orders')) return oauth(request, response)
  response.setHeader('Vary', 'Origin')
  if (request.headers.origin === origin) {
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader('Access-Control-Allow-Credentials', 'true')
    response.setHeader('Access-Control-Expose-Headers', 'Location, ETag')
  }
  if (request.method === 'OPTIONS') return preflight(response)
  const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const granted = await provider.ClientCredentials.find(token)
  const needed = request.method === 'GET' ? 'orders:read' : 'orders:write'
  if (!granted?.isValid) return answer(response, 401, { error: 'no valid token' })
  if (!granted.scope?.split(' ').includes(needed)) return answer(response, 403, { error: needed })
  let body = ''
  for await (const chunk of request) body += chunk
  return handle(request, response, url, body)
})

function preflight(response) {
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST,PUT, DELETE')
  response.setHeader('Access-Control-Allow-Headers', 'authorization, content-type')
  response.setHeader('Access-Control-Max-Age', '600')
  response.writeHead(204).end()
}

function handle(request, response, url, body) {
  const [, , key] = url.pathname.split('/')
  const all = orders()
  if (key === undefined && request.method === 'POST') {
    const order = { id: `o-${all.length + 1}`, ...JSON.parse(body) }
    keep([...all, order])
    response.setHeader('Location', `/orders/${order.id}`)
    return answer(response, 201, order)
  }
  if (key === undefined) {
    const min = Number(url.searchParams.get('min') ?? 0)
    return answer(
      response,
      200,
      all.filter(({ amount }) => amount >= min),
    )
  }
  const found = all.find(order => order.id === key)
  if (!found) return answer(response, 404, { error: 'no such order' })
  const others = all.filter(order => order !== found)
  if (request.method === 'PUT') {
    const next = { ...found, ...JSON.parse(body) }
    keep([...others, next])
    return answer(response, 200, next)
  }
  if (request.method === 'DELETE') {
    keep(others)
    return response.writeHead(204).end()
  }
  return answer(response, 200, found)
}

function answer(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: ['client_secret_basic', 'client_secret_post'].map(method => ({
    client_id: method.endsWith('post') ? `${id}-post` : id,
    client_secret: secret,
    token_endpoint_auth_method: method,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  })),
  scopes,
  features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  ttl: { ClientCredentials: 600 },
})
const oauth = provider.callback()
provider.on('grant.error', (_, error) =>
  console.log(error instanceof errors.OIDCProviderError ? error.error : error),
)
if (record) appendFileSync(record, `${process.pid} ${port}\n`)
console.log(`orders on port ${port}`)
