/** The value of a setting as the command line gives it. */
import { flawIn } from '../artifact/flaw.ts'
import { type Json, jsonIn } from '../json.ts'
import type { Setting } from './settings.ts'

/** Why the words are not a value of the setting. */
export class BadValue {
  readonly why: string
  readonly remedy: string

  constructor(why: string, remedy: string) {
    this.why = why
    this.remedy = remedy
  }
}

/** A list takes several words, words with commas, or one JSON list; all others take one word. */
export function settingValue({ key, shape }: Setting, words: readonly string[]): Json | BadValue {
  const [first = '', second] = words
  if (shape.is === 'list') return checked(key, shape, listIn(words))
  if (second !== undefined) {
    const quoted = JSON.stringify(words.join(' '))
    return new BadValue(`${key} takes one value`, `Quote it: premath config set ${key} ${quoted}`)
  }
  return checked(key, shape, scalarIn(shape.is, first))
}

function checked(key: string, shape: Setting['shape'], value: Json): Json | BadValue {
  const flaw = flawIn(shape, value)
  return flaw ? new BadValue(String(flaw.under(key)), exampleOf(key, shape)) : value
}

function listIn(words: readonly string[]): Json {
  const [first = '', second] = words
  const json = second === undefined && first.startsWith('[') ? jsonIn(first) : undefined
  // A comma separates; a path with a comma in it needs the JSON form.
  return json ?? words.flatMap(word => word.split(',')).map(word => word.trim())
}

function scalarIn(is: Setting['shape']['is'], word: string): Json {
  if (is === 'flag') return word === 'true' ? true : word === 'false' ? false : word
  return is === 'whole' && /^\d+$/.test(word) ? Number(word) : word
}

function exampleOf(key: string, shape: Setting['shape']): string {
  const examples: Partial<Record<Setting['shape']['is'], string>> = {
    flag: 'true',
    whole: '4',
    list: '.env,.env.local',
    word: shape.is === 'word' ? (shape.words[0] ?? '') : '',
  }
  return `For example: premath config set ${key} ${examples[shape.is] ?? "'npm test'"}`
}
