/** Put in by the build and by the test runner, from package.json. */
declare const __PREMATH_VERSION__: string

export const version = __PREMATH_VERSION__

/** The file of the command in the package. */
export const mainInPackage = 'dist/cli/main.cjs'
