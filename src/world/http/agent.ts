/** The connections of undici for one way to reach servers. */
/// <reference path="./undici.d.ts" />
import type { buildConnector, Dispatcher } from 'undici'
import connector from 'undici/lib/core/connect.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'
import type { HttpConnection } from '../world.ts'

export function agentFor(
  connection: HttpConnection | undefined,
  options: Agent.Options,
): Dispatcher {
  if (connection === undefined) return new Agent(options)
  const { tls, resolve, proxy } = connection
  const { insecure, ...pem } = tls
  const secured = { ...pem, rejectUnauthorized: !insecure }
  if (proxy !== undefined) {
    // Without a tunnel, as curl does: the proxy sees the requests for http addresses.
    return new ProxyAgent({ ...options, uri: proxy, proxyTunnel: false, requestTls: secured })
  }
  return new Agent({ ...options, connect: resolving(connector(secured), resolve) })
}

/** The name of the host stays the same for TLS and for the Host header. */
function resolving(
  connect: buildConnector.connector,
  addresses: HttpConnection['resolve'],
): buildConnector.connector {
  return (options, callback) => {
    const { hostname, protocol } = options
    const port = options.port || (protocol === 'https:' ? '443' : '80')
    const address = addresses[`${hostname}:${port}`] ?? addresses[hostname] ?? hostname
    connect({ ...options, hostname: address }, callback)
  }
}
