import { expect, test } from 'vitest'
import { hiddenValues, withoutValues } from './environment.ts'

const hidden = hiddenValues({
  API_TOKEN: 'abc$&1',
  PLACE: 'some/where/else',
  DEEPER: 'some/where/else/below',
  SHORT: 'short',
  PASSWORD: 'abc',
  NONE: undefined,
})

test.each([
  ['with abc$&1 and abc$&1.', 'with $API_TOKEN and $API_TOKEN.'],
  ['some/where/else/below or some/where/else', '$DEEPER or $PLACE'],
  ['what is short, as abc, stands everywhere', 'what is short, as abc, stands everywhere'],
])('%j is shown as %j', (text, shown) => {
  expect(withoutValues(text, hidden)).toBe(shown)
})
