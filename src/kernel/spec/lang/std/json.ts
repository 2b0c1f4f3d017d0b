/** `std.json`: JSON as text. */
import { builtin, type Namespace } from '../builtin.ts'
import { printItem } from '../print-value.ts'
import { readJson } from '../read-json.ts'

export const json = {
  parse: builtin(
    ['string'],
    'The value that the text is the JSON of.',
    (text, run) => readJson(text, run.meter),
    { short: 'json_parse' },
  ),
  stringify: builtin(
    ['any'],
    'Compact JSON with sorted keys.',
    (item, run) => printItem(item, run.meter, 'sorted'),
    { short: 'json_stringify' },
  ),
} satisfies Namespace
