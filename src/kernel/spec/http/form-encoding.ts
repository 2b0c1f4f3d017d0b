/** `application/x-www-form-urlencoded`, as the URL standard defines it. */

export function formEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

export const formBody = (fields: Iterable<readonly [name: string, value: string]>): string =>
  [...fields].map(([name, value]) => `${formEncoded(name)}=${formEncoded(value)}`).join('&')

/** `undefined` if it was not encoded like this. */
export function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
