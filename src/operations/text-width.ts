/** The kernel's, for the command line, which knows no room below this one. */
export { cut, startOf, widthOf } from '../kernel/text-width.ts'
