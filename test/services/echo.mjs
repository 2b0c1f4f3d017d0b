/**
 * A service for tests that shows what it gets. It gives out tokens, and redirects to itself and to
 * another origin. It prints its port.
 */
import { createServer } from 'node:http'

const listen = (server, port) =>
  new Promise(resolve => server.listen(port, '127.0.0.1', () => resolve(server.address().port)))

let tokens = 0
const lifetime = Number(process.env.LIFETIME ?? 600)

async function handle(request, response) {
  let body = ''
  for await (const chunk of request) body += chunk
  const { pathname } = new URL(request.url, 'http://echo')
  const answer = value =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
  if (pathname === '/token') {
    return answer({ access_token: `granted-token-${++tokens}`, expires_in: lifetime })
  }
  if (pathname === '/refused') {
    return response.writeHead(401).end(JSON.stringify({ error: 'invalid_client', got: body }))
  }
  if (pathname === '/here') return response.writeHead(302, { Location: '/echo' }).end()
  if (pathname === '/away') {
    return response.writeHead(302, { Location: `http://127.0.0.1:${other}/echo` }).end()
  }
  const { authorization = null, origin = null } = request.headers
  console.log(`${request.method} ${pathname} authorization ${authorization}`)
  return answer({ authorization, origin, tokens, headers: request.rawHeaders, body })
}

const other = await listen(createServer(handle), 0)
const port = await listen(createServer(handle), Number(process.env.PORT ?? 0))
console.log(`echo on port ${port}`)
