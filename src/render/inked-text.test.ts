import { expect, test } from 'vitest'
import { cutInked, withoutInk } from './inked-text.ts'

const red = (text: string) => `\u001b[31m${text}\u001b[39m`
const bold = (text: string) => `\u001b[1m${text}\u001b[22m`

test('color codes take no width', () => {
  expect(withoutInk(bold(`${red('red')} and bold`))).toBe('red and bold')
  expect(cutInked(red('exact'), 5)).toBe(red('exact'))
})

test.each([
  [9, `${red('red')} ${bold('bold')}`, `${red('red')} ${bold('bold')}`],
  [6, `${red('red')} ${bold('bold')}`, `${red('red')} ${bold('b…')}`],
  [5, `${red('red')} ${bold('bold')}`, `${red('red')} ${bold('…')}`],
  [4, `${red('red')} ${bold('bold')}`, `${red('red')}…${bold('')}`],
  [2, `${red('red')} ${bold('bold')}`, `${red('r…')}${bold('')}`],
  [1, red('red'), red('…')],
  [0, red('red'), red('')],
  [4, red('日本語'), red('日…')],
  [3, 'e\u0301e\u0301e\u0301e\u0301', 'e\u0301e\u0301…'],
])('a text cut to %i columns keeps its color and resets it', (columns, text, cut) => {
  expect(cutInked(text, columns)).toBe(cut)
})
