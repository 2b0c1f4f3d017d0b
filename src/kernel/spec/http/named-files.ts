/** The files that an `api.http` case names, as far as its texts are known. */
import { mappingIn } from '../case/requires.ts'
import { type ContractPath, contractPath } from '../contract-path.ts'
import type { SpecValue } from '../lang/value.ts'
import type { HttpSetting, WrittenRequest } from './http-request.ts'
import { textOf } from './http-text.ts'
import { oauthIn, oauthPath } from './oauth.ts'
import { filesIn } from './request-body.ts'
import { requestPlace } from './request-url.ts'
import { scenarioIn, scenarioPath } from './scenario.ts'

type Mapping = ReadonlyMap<string, SpecValue>

/** With the path of the key that names it. */
export interface NamedFile {
  readonly path: ContractPath
  readonly at: string
}

/** Refused addresses and paths are left out: they are reported elsewhere. */
export function namedFiles(
  value: Mapping,
  requests: readonly WrittenRequest[],
  { mode, connection }: HttpSetting,
  root: string,
): readonly NamedFile[] {
  const probe = mappingIn(mappingIn(scenarioIn(value), 'setup'), 'ready_probe')
  const addresses = [
    ...requests.map(({ value: one, at }) => ({ url: one.get('url'), at: `${at}.url` })),
    { url: probe.get('url'), at: `${scenarioPath}.setup.ready_probe.url` },
    { url: oauthIn(value)?.get('token_url'), at: `${oauthPath}.token_url` },
  ]
  const paths = [
    ...requests.flatMap(({ value: one, at }) => filesIn(one, at)),
    ...connection.files.map(([key, path]) => ({ path, at: `harness.api_http.tls.${key}` })),
  ]
  return [
    ...addresses.flatMap(({ url, at }) => {
      const place = url === undefined ? undefined : requestPlace(textOf(url).trim(), mode, root)
      return place && 'path' in place ? [{ path: place.path, at }] : []
    }),
    ...paths.flatMap(({ path, at }) => {
      const read = contractPath(path)
      return 'path' in read ? [{ path: read.path, at }] : []
    }),
  ]
}
