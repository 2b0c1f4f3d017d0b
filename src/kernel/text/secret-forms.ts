/** The spellings in which a secret value can turn up in output. */

/** Shorter values occur in other texts by chance, and more so in encoded form. */
const encodedCharsMin = 4
const lineCharsMin = 8

export function secretForms(value: string): readonly string[] {
  const forms = new Set<string>()
  for (const part of partsOf(value)) {
    forms.add(part)
    if (part.length < encodedCharsMin) continue
    for (const form of encodedForms(part)) forms.add(form)
  }
  forms.delete('')
  return [...forms]
}

/** Output is often trimmed, and shown line by line. */
function partsOf(value: string): readonly string[] {
  const lines = value.split(/\r\n|\r|\n/).map(line => line.trim())
  return [
    value,
    value.trim(),
    ...(lines.length > 1 ? lines.filter(({ length }) => length >= lineCharsMin) : []),
  ]
}

function encodedForms(text: string): readonly string[] {
  const bytes = utf8Of(text)
  return [
    ...jsonForms(text),
    ...urlForms(bytes, text),
    ...base64Forms(bytes),
    ...hexForms(bytes),
    ...markupForms(text),
    ...numberForms(text),
    text.replaceAll("'", "'\\''"),
    ...pathForms(text),
  ]
}

/** A program that reads it as a number prints other digits: `0012345` as `12345`. */
function numberForms(text: string): readonly string[] {
  const [, whole, fraction = ''] = /^[-+]?0*(\d+)(?:\.(\d*?)0*)?$/.exec(text) ?? []
  if (whole === undefined) return []
  const exact = fraction === '' ? whole : `${whole}.${fraction}`
  const float = String(Number(exact))
  const forms = [exact, float, float.replace('e+', 'e'), float.replace('e+', 'E+')]
  // Fewer digits are part of other numbers by chance.
  return forms.filter(form => form.length >= encodedCharsMin)
}

/** Also within a text that is printed as JSON again. */
function jsonForms(text: string): readonly string[] {
  const once = inJson(text)
  const spelled = [once, once.replaceAll('/', '\\/'), asciiOf(once)]
  return [...spelled, ...spelled.map(inJson)]
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

const asciiOf = (text: string) =>
  text.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Encoders differ in the characters they leave alone and in the case of the digits. */
function urlForms(bytes: readonly number[], text: string): readonly string[] {
  const strict = percentEncoded(bytes, /[\w.~-]/)
  const component = percentEncoded(bytes, /[\w.~!'()*-]/)
  const forms = [
    strict,
    component,
    percentEncoded(bytes, /[\w.*-]/).replaceAll('%20', '+'),
    strict.replaceAll('%20', '+'),
    percentEncoded(bytes, /[\w.~!'()*;,/?:@&=+$#-]/),
    text.replaceAll(' ', '+'),
  ]
  return [...forms, ...forms.map(form => form.replace(/%../g, code => code.toLowerCase()))]
}

function percentEncoded(bytes: readonly number[], isKept: RegExp): string {
  const encoded = bytes.map(byte => {
    const character = String.fromCharCode(byte)
    if (byte < 0x80 && isKept.test(character)) return character
    return `%${hexOf(byte).toUpperCase()}`
  })
  return encoded.join('')
}

const hexOf = (byte: number) => byte.toString(16).padStart(2, '0')

function hexForms(bytes: readonly number[]): readonly string[] {
  const hex = bytes.map(hexOf).join('')
  return [hex, hex.toUpperCase()]
}

/** As a path below the contract root is shown. */
function pathForms(text: string): readonly string[] {
  const path = text.replace(/[\\/](?:\.?[\\/])*/g, '/')
  return path.length < encodedCharsMin ? [] : [path]
}

/** A report escapes markup, each format in its own way. */
function markupForms(text: string): readonly string[] {
  const inText = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = inText.replaceAll('"', '&quot;')
  const quotes = ['&apos;', '&#39;', '&#x27;', '&#039;']
  return [inText, quoted, ...quotes.map(quote => quoted.replaceAll("'", quote))]
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * The value alone, and the digits that it decides alone where other bytes surround it, as in
 * `id:secret`: they depend on where among three bytes it begins.
 */
function base64Forms(bytes: readonly number[]): readonly string[] {
  const whole = base64(bytes)
  const inside = [0, 1, 2].map(before => {
    const digits = base64([...new Array<number>(before).fill(0), ...bytes])
    return digits.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
  })
  const padded = whole.padEnd(Math.ceil(whole.length / 4) * 4, '=')
  const forms = [padded, whole, ...inside]
  return [...forms, ...forms.map(form => form.replaceAll('+', '-').replaceAll('/', '_'))]
}

/** Without padding. */
function base64(bytes: readonly number[]): string {
  let digits = ''
  let [bits, count] = [0, 0]
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    count += 8
    while (count >= 6) {
      count -= 6
      digits += alphabet[(bits >> count) & 63]
    }
    bits &= (1 << count) - 1
  }
  return count === 0 ? digits : digits + alphabet[(bits << (6 - count)) & 63]
}

function utf8Of(text: string): readonly number[] {
  const encoded = encodeURIComponent(text.toWellFormed())
  return [...encoded.matchAll(/%(..)|./gs)].map(([one, code]) =>
    code === undefined ? one.charCodeAt(0) : Number.parseInt(code, 16),
  )
}
