/** The exit code a shell reports for a command ended by a signal. */
const numbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
}

/** 128 plus the signal number; 128 if the number differs between systems. */
export const signalExitCode = (signal: string | null): number => 128 + (numbers[signal ?? ''] ?? 0)
