/** Answers every request with its path, and tells its parent the port, then how many it answered. */
import { createServer } from 'node:http'

const tellEvery = 500
let answered = 0

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ path: request.url }))
  if (++answered % tellEvery === 0) process.send({ answered })
})
// The clients run one after the other, and none may meet a connection that is about to close.
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
