/** `std.json`: JSON as text. */
import { builtin, type Namespace } from '../builtin.ts'
import { printItem } from '../print-value.ts'
import { readJson } from '../read-json.ts'

export const json = {
  parse: builtin({
    takes: ['string'],
    short: 'json_parse',
    means: 'The value that the text is the JSON of.',
    apply: (text, run) => readJson(text, run.meter),
  }),
  stringify: builtin({
    takes: ['any'],
    short: 'json_stringify',
    means: 'Compact JSON with sorted keys.',
    apply: (item, run) => printItem(item, run.meter, 'sorted'),
  }),
} satisfies Namespace
