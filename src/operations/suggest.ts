/** The kernel's, for the command line, which knows no room below this one. */
export { nearest } from '../kernel/nearest.ts'
