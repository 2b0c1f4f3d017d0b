import type { Live, LiveEvent } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { countField, textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import {
  type BindAddress,
  bindAddress,
  isLoopback,
  urlOf,
} from '../../kernel/observation/served-address.ts'
import { trim } from '../../kernel/text/clean.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { LiveObservation, type Seen } from '../../project/observation/live-observation.ts'
import { openProject, type Project } from '../../project/open.ts'
import { resolvePath } from '../../project/paths.ts'
import { clockTime } from '../../render/durations.ts'
import { ServeEvent } from '../../wire/observation/observed.ts'
import type { WebServer } from '../../world/world.ts'
import { operation } from '../operation.ts'

const tokenVariable = 'PREMATH_OBSERVE_TOKEN'
const bindDefault = '127.0.0.1:43174'

export const observeServe = operation({
  group: 'observe',
  summary: 'Serve the observation of the project on a page that updates itself.',
  description: `Answers GET / (a page for browsers, JSON for programs), /healthz, /latest, /needs-attention, /instruction?id=, /projection?digest=[&match=] and /events, a stream of server-sent events. The surface is built in memory, again whenever its inputs change, and nothing is written. Only programs of this machine reach the default address. Any other address needs a token of at least 16 characters, in ${tokenVariable} or in a file that only you can read; programs send it as a bearer, and browsers ask for it as a password. A request whose Host header names an unknown host is refused. Runs until Ctrl-C, or for --for-seconds. Exits 3 if the port is in use.`,
  effect: 'read',
  opId: 'op/ci.observe_serve',
  isLive: true,
  input: {
    bind: textField('address', 'The address and the port; port 0 chooses a free one.', {
      default: bindDefault,
    }),
    tokenFile: textField('file', `A file with the token; without it, ${tokenVariable}.`, {
      path: true,
    }),
    allowHost: textField('name', 'A host name that requests may use; may be repeated.', {
      many: true,
    }),
    forSeconds: countField('n', 'End after this many seconds. Defaults to never.'),
    ciwitnessDir: textField(
      'folder',
      'The folder of the witnesses. Defaults to artifacts/ciwitness of the project.',
      { path: true },
    ),
    ...memoryFields,
  },
  output: ServeEvent,
  examples: {
    'premath observe-serve': `a page at http://${bindDefault}/`,
    'premath observe-serve --bind 127.0.0.1:0 --json': 'on a free port, which the first line names',
  },

  async run(
    { bind, tokenFile, allowHost, forSeconds, ciwitnessDir, issues },
    context,
  ): Promise<Live> {
    const project = await openProject(context)
    const address = bindAddress(bind)
    if (!address) throw badAddress(bind)
    const token = await tokenOf(tokenFile, project)
    if (token === undefined && !isLoopback(address.host)) throw needsToken(address)
    const live = await LiveObservation.open(project, { issues, ciwitnessDir })
    const { observeApp } = await import('../../web/observe-app.ts')
    const app = observeApp({
      live,
      name: project.root.slice(project.root.lastIndexOf('/') + 1),
      host: address.host,
      names: allowHost.map(name => name.toLowerCase()),
      token,
      sha256: project.sha256,
    })
    const server = await context.serve({ ...address, answer: request => app.fetch(request) })
    const url = urlOf({ ...address, port: server.port })
    return {
      live: following(live, { server, url, forSeconds }, project),
      screen: () => [`Serving ${url} · Press Ctrl-C to stop.`],
      summary: () => '',
      exitCode: () => 0,
    }
  },
})

interface Serving {
  readonly server: WebServer
  readonly url: string
  readonly forSeconds: number | undefined
}

async function* following(
  live: LiveObservation,
  { server, url, forSeconds }: Serving,
  { processes, clock }: Project,
): AsyncIterable<LiveEvent> {
  const unlisten = (await processes()).onStopSignal(() => live.stop())
  if (forSeconds !== undefined) void clock.sleep(forSeconds * 1000).then(() => live.stop())
  try {
    yield { json: { event: 'listening', url, port: server.port }, line: () => `Serving ${url}\n` }
    for await (const seen of live.changes()) yield changeEvent(seen, clock.now())
  } finally {
    unlisten()
    live.stop()
    await server.close()
  }
}

function changeEvent({ digest, now }: Seen, at: bigint): LiveEvent {
  if ('fault' in now) {
    const { code, message } = now.fault
    return {
      json: { event: 'failed', error: { code, message } },
      line: page => `${page.ink('dim', clockTime(at))} ${message}\n`,
    }
  }
  const { state, needsAttention, topFailureClass } = now.surface.summary
  const attention = needsAttention ? `needs attention (${topFailureClass})` : 'nothing to look at'
  return {
    json: { event: 'surface', digest, state, needsAttention },
    line: page => `${page.ink('dim', clockTime(at))} ${state}, ${attention}\n`,
  }
}

/** A shorter one could be guessed over a network. */
const tokenCharsMin = 16

async function tokenOf(file: string | undefined, project: Project): Promise<string | undefined> {
  const { env, secrets } = project
  const given = file === undefined ? env[tokenVariable] : await privateText(file, project)
  if (given === undefined) return undefined
  const token = trim(given)
  if (token.length < tokenCharsMin || /\s/.test(token)) throw shortToken(file ?? tokenVariable)
  secrets.hide(tokenVariable, token)
  return token
}

async function privateText(given: string, project: Project): Promise<string> {
  const path = resolvePath(project.cwd(), given)
  const entry = await (await project.disk()).entry(path)
  if (entry?.kind === 'file' && !entry.isPrivate) throw openToken(given)
  return new TextDecoder().decode(await project.files.read(path))
}

const badAddress = (given: string) =>
  new Fault('usage', `--bind must be an address and a port, not ${JSON.stringify(given)}`, {
    hint: `Pass one such as ${bindDefault} or [::1]:43174.`,
  })

const needsToken = ({ host }: BindAddress) =>
  new Fault('usage', `${host} can be reached from other machines, so the server needs a token`, {
    hint: `Pass --token-file <file>, or set ${tokenVariable}. ${bindDefault} needs none.`,
  })

const shortToken = (where: string) =>
  new Fault(
    'usage',
    `the token in ${where} is not a word of at least ${tokenCharsMin} characters`,
    {
      hint: 'Make one: openssl rand -hex 32.',
    },
  )

const openToken = (path: string) =>
  new Fault('usage', `other users can read the token file ${path}`, {
    hint: `Keep it for yourself: chmod 600 ${shellWord(path)}.`,
  })
