/** `std.json`: JSON as text. */
import { builtin, type Namespace } from '../builtin.ts'
import { printItem } from '../print-value.ts'
import { readJson } from '../read-json.ts'

export const json = {
  parse: builtin(
    ['string'],
    'Parses JSON text to a value.',
    (text, run) => readJson(text, run.meter),
    { short: 'json_parse' },
  ),
  stringify: builtin(
    ['any'],
    'Prints a value as compact JSON with sorted keys.',
    (item, run) => printItem(item, run.meter, 'sorted'),
    { short: 'json_stringify' },
  ),
} satisfies Namespace
