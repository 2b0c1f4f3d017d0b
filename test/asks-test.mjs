/** Stands in for premath in a script of a test: passes the command line on, and prints the answer. */
import { connect } from 'node:net'

const [, , path, ...words] = process.argv
const { env } = process
const socket = connect(path)
let reply = ''
socket.on('data', part => {
  reply += part
})
// The verification of a close may run in a sandbox, which has no such socket.
socket.on('error', () => {
  process.exitCode = 1
})
socket.on('end', () => {
  const { status, text } = JSON.parse(reply)
  process.exitCode = status
  console.log(text)
})
socket.end(JSON.stringify({ words, cwd: process.cwd(), env }))
