/** The part we use; the package ships no types. */
declare module 'fs-native-extensions' {
  export function tryLock(file: number): boolean
}
