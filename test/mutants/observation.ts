/** The observation surface. */
import type { Mutants } from './mutant.ts'

const test = 'test/observe-commands.test.ts'
const serveTest = 'test/observe-serve.test.ts'
const app = 'src/web/observe-app.ts'

export const observationMutants: Mutants = {
  'runtime.3.1.observation': [
    {
      file: 'src/harness/boot.ts',
      find: 'accepted: found.length === 0,',
      replace: 'accepted: found.length === 0 && !observation?.needsAttention,',
      test,
    },
    {
      file: 'src/harness/observed-attention.ts',
      find: 'attentionReasons: attentionReasons(surface),',
      replace: 'attentionReasons: [],',
      test,
    },
  ],
  'tusk.7.observation': [
    {
      file: 'src/project/observation/surface-file.ts',
      find: "surfacePathDefault = 'artifacts/observation/latest.json'",
      replace: "surfacePathDefault = 'artifacts/observation/surface.json'",
      test,
    },
    {
      file: 'src/kernel/observation/surface.ts',
      find: '...instructions.map(payload =>',
      replace: '...instructions.slice(1).map(payload =>',
      test,
    },
  ],
  'tusk.13.observation-boundary': {
    file: 'src/operations/observe/build.ts',
    find: 'if (parts.settle()) await keepParts(parts, project)',
    replace: `if (parts.settle()) await keepParts(parts, project)
    await write(project.at('.premath/harness_session.json'), eventLines(surface))`,
    test,
  },
  'tusk.14.2.observe': [
    {
      file: 'src/kernel/observation/read-surface.ts',
      find: "(match === 'compatibility_alias' && row",
      replace: '(row',
      test,
    },
    {
      file: 'src/kernel/observation/read-surface.ts',
      find: "row['instructionId'] === instructionId",
      replace: "row['instructionId'] !== ''",
      test,
    },
  ],
  'observe-serve.1.routes': {
    file: app,
    find: "view(['/needs-attention', '/needs_attention'], ",
    replace: "view(['/needs-attention'], ",
    test: serveTest,
  },
  'observe-serve.2.gets-only': {
    file: app,
    find: "['GET', 'HEAD'].includes",
    replace: "['GET', 'HEAD', 'POST'].includes",
    test: serveTest,
    named: 'say what is wrong',
  },
  'observe-serve.3.headers': {
    file: app,
    find: "default-src 'none'; script-src",
    replace: 'default-src *; script-src',
    test: serveTest,
  },
  'observe-serve.4.events': {
    file: app,
    find: 'return JSON.stringify({ digest, state, needsAttention })',
    replace: 'return JSON.stringify({ digest, state, needsAttention: !needsAttention })',
    test: serveTest,
  },
  'observe-serve.5.hosts': {
    file: app,
    find: "isKnownHost(context.req.header('host'), { host, names })",
    replace: 'isKnownHost(host, { host, names })',
    test: serveTest,
  },
  'observe-serve.6.token': {
    file: app,
    find: 'return sha256(given) === sha256(token)',
    replace: 'return sha256(given).length === sha256(token).length',
    test: serveTest,
    named: 'a token is asked',
  },
  'observe-serve.7.port': {
    file: 'src/world/node-serve.ts',
    find: "code === 'EADDRINUSE'",
    replace: "code === 'EACCES'",
    test: serveTest,
  },
  'observe-serve.8.bounded': {
    file: app,
    find: 'open >= streamsMax',
    replace: 'open >= streamsMax * 2',
    test: serveTest,
    named: 'too many clients',
  },
  'observe-serve.9.half-written': {
    file: app,
    find: 'now.fault.code, now.fault.message)',
    replace: "now.fault.code, 'it failed')",
    test: serveTest,
  },
}
