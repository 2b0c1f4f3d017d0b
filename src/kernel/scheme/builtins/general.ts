/** Sameness, types, errors and JSON text. */
import { canonicalJson } from '../../canonical.ts'
import { jsonIn } from '../../json.ts'
import { raisedError } from '../condition.ts'
import { isEqual, isSame } from '../equality.ts'
import { jsonOfValue, valueOfJson } from '../json-value.ts'
import { printed } from '../print.ts'
import { type Builtin, Failure, isProcedure, listOf, unspecified } from '../value.ts'
import { binary, predicate, spent, unary, variadic, wrongType } from './declare.ts'

/** Characters of an error's message. */
const messageCharsMax = 2000

export const generalBuiltins: readonly Builtin[] = [
  binary('eq?', isSame),
  binary('eqv?', isSame),
  binary('equal?', isEqual),
  unary('not', value => value === false),
  predicate('boolean?', value => typeof value === 'boolean'),
  predicate('procedure?', isProcedure),
  predicate('json-null?', value => value === null),
  variadic('void', 0, () => unspecified),
  variadic('error', 1, ([message = '', ...values], meter) => {
    if (!meter.allotCells(values.length)) return spent
    const parts = [
      printed(message, messageCharsMax, false),
      ...values.map(value => printed(value, 60)),
    ]
    const text = parts.map(part => part ?? 'a large value').join(' ')
    return raisedError(text.slice(0, messageCharsMax), listOf(values))
  }),
  unary('value->json', (value, meter) => {
    const json = jsonOfValue(value, meter)
    if (json instanceof Failure) return json
    const text = canonicalJson(json)
    return meter.allotText(text.length) ? text : spent
  }),
  unary('json->value', (text, meter) => {
    if (typeof text !== 'string') return wrongType('json->value', 'a string', text)
    const json = meter.visitText(text.length) ? jsonIn(text) : null
    if (json !== undefined) return valueOfJson(json, meter)
    return new Failure('json->value: the text is not JSON', 'Check the text.')
  }),
]
