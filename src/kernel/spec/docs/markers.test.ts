import { expect, test } from 'vitest'
import { withGenerated } from './markers.ts'

const start = '<!-- GENERATED:START a.b -->'
const end = '<!-- GENERATED:END a.b -->'

test('[spec.7.markers] only the text between the markers is replaced', () => {
  const page = `# Title\r\n  ${start} old\n${end}  after\r\n`
  const made = `# Title\r\n  ${start}\n\nnew\n\nlines\n${end}  after\r\n`
  expect(withGenerated(page, 'a.b', '\n new\n\nlines \n\n')).toBe(made)
  expect(withGenerated(made, 'a.b', 'new\n\nlines')).toBe(made)
})

test('markers of another surface are left alone', () => {
  const other = '<!-- GENERATED:START a -->x<!-- GENERATED:END a -->'
  expect(withGenerated(`${other}${start}${end}`, 'a.b', 'new')).toBe(
    `${other}${start}\n\nnew\n${end}`,
  )
})

test.each([
  ['no start', end, 'has no marker <!-- GENERATED:START a.b -->'],
  ['no end', start, 'has no marker <!-- GENERATED:END a.b -->'],
  ['the wrong order', `${end}\n${start}`, 'before <!-- GENERATED:START'],
  ['two starts', `${start}\n${start}\n${end}`, 'twice, on lines 1 and 2'],
  ['two ends', `${start}\n${end}\n\n${end}`, 'twice, on lines 2 and 4'],
])('[spec.7.markers] a page with %s is refused', (_, page, message) => {
  expect(withGenerated(page, 'a.b', 'new')).toMatchObject({
    message: expect.stringContaining(message),
  })
})

test('a text that contains its own marker is refused', () => {
  expect(withGenerated(`${start}${end}`, 'a.b', `x ${end} y`)).toMatchObject({
    message: `the generated text contains the marker ${end}`,
  })
})
