/** What a command in the sandbox sees of the home folder of the user. */

/** Keys and passwords, from the home folder: nobody in the sandbox reads them. */
export const secretPaths: readonly string[] = [
  '.1password',
  '.aws',
  '.azure',
  '.bash_history',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/premath',
  '.config/rclone',
  '.docker',
  '.electrum',
  '.gem/credentials',
  '.git-credentials',
  '.gnupg',
  '.kube',
  '.local/share/keyrings',
  '.mozilla',
  '.netrc',
  '.pgpass',
  '.pypirc',
  '.python_history',
  '.ssh',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
  '.zsh_history',
]

/** Settings of npm without its passwords. */
export const npmSettings = '.npmrc'

export const withoutNpmTokens = (text: string): string =>
  text
    .split('\n')
    .filter(line => !/^\s*([^#;=]*:)?_?(auth|authToken|password|key|cert)\s*=/i.test(line))
    .join('\n')

/** Where programs keep downloads and build results. Each command gets empty ones of its own. */
export interface Cache {
  readonly path: string
  /** The variable that names another place, for a home folder that does not have it yet. */
  readonly variable?: string
}

export const caches: readonly Cache[] = [
  { path: '.cache', variable: 'XDG_CACHE_HOME' },
  { path: '.npm', variable: 'npm_config_cache' },
  { path: '.yarn' },
  { path: '.bun/install/cache', variable: 'BUN_INSTALL_CACHE_DIR' },
  { path: '.cargo/registry' },
  { path: '.cargo/git' },
  { path: '.gradle', variable: 'GRADLE_USER_HOME' },
  { path: '.m2/repository' },
  { path: '.nuget', variable: 'NUGET_PACKAGES' },
  { path: '.local/state' },
  { path: '.local/share/pnpm/store' },
  { path: 'go/pkg', variable: 'GOMODCACHE' },
]

/** The state that a coding agent keeps in the home folder. */
export interface AgentState {
  readonly path: string
  /** The variable with which the user names another folder. */
  readonly variable?: string
  /**
   * The agent writes these, and the next run of the agent needs them: transcripts, and a login that
   * is renewed. Everything else in the folder can run code, so it is read-only.
   */
  readonly shared: readonly string[]
  /** The agent writes these too. It gets copies. */
  readonly copied: readonly string[]
}

export const agentStates: readonly AgentState[] = [
  {
    path: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    shared: ['.credentials.json', 'file-history', 'history.jsonl', 'projects', 'tasks', 'todos'],
    copied: ['.claude.json'],
  },
  {
    path: '.codex',
    variable: 'CODEX_HOME',
    shared: ['auth.json', 'history.jsonl', 'log', 'sessions'],
    copied: ['version.json'],
  },
  {
    path: '.gemini',
    shared: ['history', 'oauth_creds.json', 'tmp'],
    copied: ['google_accounts.json', 'installation_id', 'projects.json', 'state.json'],
  },
  {
    path: '.qwen',
    shared: ['oauth_creds.json', 'projects', 'tmp'],
    copied: ['installation_id'],
  },
  {
    path: '.copilot',
    shared: ['history-session-state', 'logs', 'session-state'],
    copied: ['config.json'],
  },
  { path: '.pi/agent', shared: ['auth.json', 'sessions'], copied: [] },
]

/** Folders of agents with nothing in them that runs later. */
export const agentFolders: readonly string[] = ['.local/share/opencode']

/** A file of an agent beside its folder. It gets a copy. */
export const agentFiles: readonly string[] = ['.claude.json']

/** Of a user who works at the screen: agents of keys, sessions and terminals. */
const sessionVariables = [
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'DOCKER_HOST',
  'GNUPGHOME',
  'GPG_AGENT_INFO',
  'SSH_AGENT_PID',
  'SSH_ASKPASS',
  'SSH_AUTH_SOCK',
  'TMUX',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
]

/** The logins of agents and of the places where code is published: a verification needs none. */
const loginVariables =
  /^(ANTHROPIC_|OPENAI_|CODEX_|CLAUDE_CODE_|GEMINI_|QWEN_|COPILOT_|OPENROUTER_|MISTRAL_|GROQ_|XAI_|DEEPSEEK_|AZURE_OPENAI_)?\w*(API_KEY|AUTH_TOKEN|OAUTH_TOKEN|MESSAGING_TOKEN)$|^(GH|GITHUB|GITLAB|NPM|NODE_AUTH|CARGO_REGISTRY|PYPI|TWINE|HF|SSH)_?(TOKEN|PASSWORD)$|^AWS_(SECRET_ACCESS_KEY|SESSION_TOKEN|ACCESS_KEY_ID)$/

export type SandboxRole = 'work' | 'verify' | 'startup'

/** The environment of a command in the sandbox. */
export function sandboxEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  role: SandboxRole,
): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(env).filter(
    ([name]) => !sessionVariables.includes(name) && (role === 'work' || !loginVariables.test(name)),
  )
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp' }
}
