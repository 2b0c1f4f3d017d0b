import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { meterWith, ran, valueIn } from '../../../test/a-scheme-program.ts'
import { canonicalJson } from '../canonical.ts'
import { parseJson } from '../json.ts'
import { isEqual } from './equality.ts'
import { jsonOfValue, valueOfJson } from './json-value.ts'
import { isIncomplete } from './language.ts'
import { printed } from './print.ts'
import { ErrorAt } from './program-error.ts'
import { read } from './read.ts'
import { Failure, Float, Hash, listOf, Pair, Sym, type Value, Vector } from './value.ts'

describe('programs have the values of the language', () => {
  test.each([
    // Definitions and procedures.
    ['(define x 2) (define (twice n) (* 2 n)) (twice x)', '4'],
    ['((lambda (a . rest) (list a rest)) 1 2 3)', '(1 (2 3))'],
    ['((lambda all all) 1 2)', '(1 2)'],
    ['(define (f . xs) (length xs)) (f)', '0'],
    ['(define x 1) (set! x (+ x 1)) x', '2'],
    ['(define (f) (define a 1) (define (g) (* a 2)) (g)) (f)', '2'],
    [
      '(define (counter) (let ((n 0)) (lambda () (set! n (+ n 1)) n))) (define c (counter)) (c) (c)',
      '2',
    ],
    ['(define (map x) x) (list (map 1) (filter odd? (list 1 2 3)))', '(1 (1 3))'],
    // Scopes.
    ['(let ((x 1) (y 2)) (+ x y))', '3'],
    ['(let* ((x 1) (y (+ x 1)) (x 5)) (list x y))', '(5 2)'],
    [
      '(letrec ((even? (lambda (n) (or (= n 0) (odd? (- n 1))))) (odd? (lambda (n) (and (> n 0) (even? (- n 1)))))) (even? 100))',
      '#t',
    ],
    ['(let loop ((n 3) (done (list))) (if (= n 0) done (loop (- n 1) (cons n done))))', '(1 2 3)'],
    ['(let () (define x 1) (begin (define y 2)) (+ x y))', '3'],
    ['(do ((i 0 (+ i 1)) (all (list) (cons i all))) ((= i 3) all))', '(2 1 0)'],
    // Choices.
    ['(if #f 1)', '#<unspecified>'],
    ['(if (list) 1 2)', '1'],
    ["(cond (#f 1) ((assv 2 '((1 . a) (2 . b))) => cdr) (else 3))", 'b'],
    ['(cond ((+ 1 1)) (else 3))', '2'],
    ['(cond (#f 1))', '#<unspecified>'],
    ["(case (* 2 3) ((2 3 5 7) 'prime) ((1 4 6 8 9) 'composite))", 'composite'],
    ["(case 'x ((y) 1) (else 2))", '2'],
    ['(list (and) (and 1 2) (and #f 2) (or) (or #f 3) (or #f #f))', '(#t 2 #f #f 3 #f)'],
    ['(list (when #t 1 2) (unless #t 1))', '(2 #<unspecified>)'],
    // Quotation.
    ['\'(a "b" 3 . c)', '(a "b" 3 . c)'],
    ['`(1 ,(+ 1 1) ,@(list 3 4) . 5)', '(1 2 3 4 . 5)'],
    ['`(1 . ,(+ 1 1))', '(1 . 2)'],
    ['`#(1 ,(+ 1 1))', '#(1 2)'],
    ['`(1 `(2 ,(3 ,(+ 1 3))))', '(1 `(2 ,(3 4)))'],
    // Numbers.
    ['(list (+) (+ 1 2 3) (- 5) (- 5 1 1) (* 2 3 4) (/ 6 3) (/ 1 2))', '(0 6 -5 3 24 2 0.5)'],
    [
      '(list 1.0 (* 1.5 2) 1e21 -0.0 (exact->inexact 2) (inexact->exact 2.0))',
      '(1.0 3.0 1e+21 -0.0 2.0 2)',
    ],
    ['(list (quotient -7 2) (remainder -7 2) (modulo -7 2))', '(-3 -1 1)'],
    ['(list (= 1 1.0) (eqv? 1 1.0) (equal? 1 1.0) (< 1 2 3) (< 1 3 2))', '(#t #f #f #t #f)'],
    ['(+ 9007199254740991 2)', '9007199254740993'],
    ['(- (+ 9007199254740991 2) 9007199254740992)', '1'],
    [
      '(list (floor 1.5) (round 2.5) (round 3.5) (abs -3) (min 3 1) (max 3 1) (sqrt 16) (sqrt 2.25))',
      '(1.0 2.0 4.0 3 1 3 4 1.5)',
    ],
    ['(list (number->string 1.5) (string->number "12") (string->number "x"))', '("1.5" 12 #f)'],
    // Lists and vectors.
    [
      "(list (length '(1 2)) (reverse '(1 2)) (append '(1) '(2) '(3)) (list-ref '(a b) 1) (list-tail '(1 2 3) 1))",
      '(2 (2 1) (1 2 3) b (2 3))',
    ],
    [
      '(list (memq \'c \'(a c d)) (member "b" \'("a" "b")) (assoc "b" \'(("a" . 1) ("b" . 2))))',
      '((c d) ("b") ("b" . 2))',
    ],
    [
      '(list (map + (list 1 2) (list 10 20)) (filter even? (iota 5)) (fold cons (list) (list 1 2)) (fold-right cons (list) (list 1 2)))',
      '((11 22) (0 2 4) (2 1) (1 2))',
    ],
    [
      "(list (sort '(3 1 2) <) (apply + 1 2 '(3 4)) (any odd? '(2 3)) (every odd? '(1 2)) (find even? '(1 2)))",
      '((1 2 3) 10 #t #f 2)',
    ],
    ["(let ((n 0)) (for-each (lambda (x) (set! n (+ n x))) '(1 2 3)) n)", '6'],
    [
      '(list (vector-ref (vector 1 2) 1) (vector->list #(1 2)) (vector-length #()) (list->vector (list 1)))',
      '(2 (1 2) 0 #(1))',
    ],
    // Strings and symbols.
    [
      '(list (string-append "a" "b") (substring "héllo" 1 3) (string-length "😀é") (string-ref "a😀" 1))',
      '("ab" "él" 2 "😀")',
    ],
    [
      '(list (string-split "a,b" ",") (string-join (list "a" "b") "-") (string-replace "aXbX" "X" "y"))',
      '(("a" "b") "a-b" "ayby")',
    ],
    [
      '(list (string<? "a" "b") (string-contains? "abc" "b") (string-prefix? "a" "abc") (string-upcase "é"))',
      '(#t #t #t "É")',
    ],
    [
      "(list (symbol->string 'a) (string->symbol \"b\") (eq? 'a 'a) :key (keyword? :key))",
      '("a" b #t :key #t)',
    ],
    // Hash maps.
    [
      "(let ((h (hash 'a 1 \"b\" 2))) (list (hash-ref h 'a) (hash-ref h 'c 9) (hash-keys (hash-set h 'c 3)) (hash-count h)))",
      '(1 9 ("a" "b" "c") 2)',
    ],
    [
      "(list (hash-remove (hash 'a 1 'b 2) 'a) (hash->list (hash 'b 2 'a 1)) (hash-merge (hash 'a 1) (hash 'a 2)))",
      '(#hash(("b" . 2)) (("a" . 1) ("b" . 2)) #hash(("a" . 2)))',
    ],
    [
      "(list (hash-update (hash 'n 1) 'n (lambda (n) (+ n 1)) 0) (hash-ref (hash 'a #null) 'a))",
      '(#hash(("n" . 2)) #null)',
    ],
    // JSON.
    ['(json->value "{\\"a\\":[1,2.50,null,true]}")', '#hash(("a" . (1 2.5 #null #t)))'],
    ["(value->json (hash 'b (list 1 2.0) 'a #null))", '"{\\"a\\":null,\\"b\\":[1,2.0]}"'],
    // Ways out.
    ["(call/ec (lambda (k) (for-each (lambda (x) (when (> x 1) (k x))) '(1 2 3)) 'none))", '2'],
    ['(+ 1 (call/ec (lambda (k) (* 10 (k 1)))))', '2'],
    ['(guard (e ((string? e) (string-append "caught " e))) (raise "it"))', '"caught it"'],
    ["(guard (e (else (hash-ref e 'class))) (car 5))", '"scheme_eval.runtime_error"'],
    ['(guard (e (#t (hash-ref e \'values))) (error "bad" 1 2))', '(1 2)'],
    [
      "(guard (e ((symbol? e) (list 'outer e))) (guard (e ((string? e) 'inner)) (raise 'x)))",
      '(outer x)',
    ],
    // Comments.
    ['#| a #| nested |# block |# (+ 1 #;2 3) ; end', '4'],
    ['', '#<unspecified>'],
  ])('%s', (program, value) => {
    expect(valueIn(program)).toBe(value)
  })
})

describe('an error names its line and column, what is wrong, and a next step', () => {
  test.each([
    ['(+ 1\n  (car 5))', '2:3 car needs a pair and got an integer: 5'],
    ['(define x 1)\n(foo x)', '2:2 the variable "foo" is not defined'],
    ['(define (f)\n  (map car 5))\n(f)', '2:3 map needs a list and got 5'],
    ['(list 1\n 2', '1:1 the program ends before )'],
    ['(list 1))', '1:9 ) closes nothing'],
    ['(list 1]', '1:8 ] stands where ) should'],
    ['"abc', '1:1 a string is never closed'],
    ['#<x>', '1:1 unknown syntax "#<x>"'],
    ['99999999999999999999', '1:1 "99999999999999999999": the integer does not fit into 64 bits'],
    ['(* 18446744073709551615 2)', '1:1 the integer does not fit into 64 bits'],
    ['(* 1e308 10)', '1:1 the result is not a finite number'],
    ['(/ 1 0)', '1:1 / divides by zero'],
    ['(lambda (x x) x)', '1:12 x is a parameter twice'],
    ['(if)', '1:1 if has the wrong number of parts'],
    ['(let ((x)) x)', '1:1 a binding must be (name value)'],
    ['(1 2)', '1:1 1 is no procedure: an integer cannot be called'],
    ['((lambda (x) x))', '1:1 lambda takes 1 argument and got 0'],
    ['(cons 1)', '1:1 cons takes 2 arguments and got 1'],
    ['(define if 1)', '1:9 if is a word of the language'],
    ['(letrec ((a b) (b 1)) a)', '1:13 the variable b is used before it has a value'],
    ['(vector-ref #(1) 5)', '1:1 vector-ref: the vector has no item 5'],
    ["(hash-ref (hash) 'x)", '1:1 hash-ref: no key "x"'],
    ['(raise 5)', '1:1 uncaught condition: 5'],
    [
      '(define k #f) (call/ec (lambda (c) (set! k c))) (k 1)',
      '1:49 the procedure of call/ec has returned already',
    ],
    ['(guard (e ((string? e) 1))\n  (car 1))', '2:3 car needs a pair and got an integer: 1'],
    [',x', '1:1 this form stands outside of its place'],
    ['(value->json car)', '1:1 JSON cannot carry a procedure'],
  ])('%s', (program, text) => {
    const found = ran(program)
    expect(found.text).toBe(text)
    if (!text.includes('uncaught') && !text.startsWith('2:3 map')) expect(found.hint).toBeTruthy()
  })
})

describe('a program without an end is stopped by a budget', () => {
  test.each([
    ['loops', '(define x 1)\n(let loop () (loop))', '2:1 step budget'],
    ['allocates', "(let loop ((all '())) (loop (cons 1 all)))", '1:29 memory budget'],
    ['recurses', '(define (f) (+ 1 (f))) (f)', '1:18 depth budget'],
    ['makes a huge text', '(let loop ((s "ab")) (loop (string-append s s)))', '1:28 memory budget'],
    ['makes closures', '(let loop ((f car)) (loop (lambda () f)))', '1:27 memory budget'],
    [
      'compares shared values',
      '(define (d n x) (if (= n 0) x (d (- n 1) (cons x x))))\n(equal? (d 60 1) (d 60 1))',
      '2:1 step budget',
    ],
    [
      'prints shared values',
      '(define (d n x) (if (= n 0) x (d (- n 1) (cons x x))))\n(value->string (d 60 1))',
      '2:1 value->string: the text is longer than 10000000 characters',
    ],
    [
      'converts shared values',
      '(define (d n x) (if (= n 0) x (d (- n 1) (list x x))))\n(value->json (d 60 1))',
      '2:1 step budget',
    ],
    ['recurses through guard', '(define (f) (guard (e (#t 1)) (f))) (f)', '1:13 depth budget'],
  ])('[scheme.1.budgets] %s', (_, program, text) => {
    expect(ran(program, { steps: 300_000, bytes: 2 ** 22, depth: 10_000 }).text).toBe(text)
  })

  test('and guard does not catch it', () => {
    const program = "(guard (e (#t 'caught)) (let loop () (loop)))"
    expect(ran(program, { steps: 1000 }).text).toMatch(/step budget$/)
  })
})

describe('nesting never overflows the stack of JavaScript', () => {
  test('the reader refuses deep nesting', () => {
    for (const [open, close] of [
      ['(', ')'],
      ["'", ''],
      ['#(', ')'],
      ['`(', ')'],
      ['(list ', ')'],
    ]) {
      const deep = `${open?.repeat(100_000)}1${close?.repeat(100_000)}`
      expect(ran(deep).text).toContain('nested more than 400 deep')
    }
  })

  test('long programs and long forms compile', () => {
    const count = 20_000
    const lines = (line: string) => Array.from({ length: count }, () => line).join(' ')
    expect(valueIn(lines('(define x 1)'))).toBe('#<unspecified>')
    expect(valueIn(`(cond ${lines('(#f 1)')} (else 2))`)).toBe('2')
    expect(valueIn(`(and ${lines('1')} 2)`)).toBe('2')
    expect(valueIn(`(length (quasiquote (${lines(',(+ 1 1)')})))`)).toBe(String(count))
  })

  test('data of any depth is printed, compared and refused as JSON', () => {
    const deep = '(define (deep n x) (if (= n 0) x (deep (- n 1) (list x))))'
    expect(valueIn(`${deep} (string-length (value->string (deep 300000 1)))`)).toBe('600001')
    expect(valueIn(`${deep} (equal? (deep 300000 1) (deep 300000 1))`)).toBe('#t')
    expect(valueIn(`${deep} (value->json (deep 300000 1))`)).toContain('nested more than 127 deep')
  })
})

test('a tail call takes no room: loops run in constant depth', () => {
  const loops = [
    '(let loop ((n 300000)) (if (= n 0) 1 (loop (- n 1))))',
    '(let loop ((n 300000)) (cond ((= n 0) 1) (else (loop (- n 1)))))',
    '(let loop ((n 300000)) (and #t (or #f (if (= n 0) 1 (loop (- n 1))))))',
    '(let loop ((n 300000)) (when #t (let* ((m (- n 1))) (case m ((-1) 1) (else (loop m))))))',
    '(define (f n) (if (= n 0) 1 (apply g (list (- n 1))))) (define (g n) (f n)) (f 100000)',
  ]
  for (const loop of loops) expect(ran(loop, { depth: 3 }).text).toBe('1')
})

test('[scheme.2.deterministic] the same program takes the same steps and memory each time', () => {
  const program = '(fold + 0 (map (lambda (n) (* n n)) (sort (iota 500) >)))'
  const [first, second] = [ran(program), ran(program)]
  expect(first).toEqual(second)
  expect(first).toMatchObject({ text: '41541750', steps: 45_434 })
})

const atoms: fc.Arbitrary<Value> = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => new Float(value)),
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constant(null),
  fc.stringMatching(/^[a-z?!*<>=/:][a-z0-9?!*<>=/.-]{0,5}$/).map(name => new Sym(name)),
)

const { value: values } = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atoms,
    fc.array(tie('value'), { maxLength: 4 }).map(items => listOf(items)),
    fc.array(tie('value'), { maxLength: 4 }).map(items => new Vector(items)),
    fc.tuple(tie('value'), tie('value')).map(([car, cdr]) => new Pair(car, cdr)),
    fc
      .dictionary(fc.string(), tie('value'), { maxKeys: 3 })
      .map(members => new Hash(new Map(Object.entries(members)))),
  ),
}))

describe('for every value', () => {
  const readBack = (text: string): Value => {
    const source = read(text)
    if (source instanceof ErrorAt) throw new Error(`${source.message} in ${text}`)
    expect(source.forms).toHaveLength(1)
    return source.forms[0] as Value
  }

  test('the reader reads what the printer prints', () => {
    fc.assert(
      fc.property(values, value => {
        const text = printed(value, 1e6) ?? ''
        expect(printed(readBack(text), 1e6)).toBe(text)
        expect(isEqual(readBack(text), value, meterWith())).toBe(true)
      }),
    )
  })

  test('a quasi-quotation with nothing to fill in is a quotation', () => {
    fc.assert(
      fc.property(values, value => {
        const text = printed(value, 1e6) ?? ''
        const plain = !/quasiquote|unquote|[`,]/.test(text)
        if (plain) expect(valueIn(`\`${text}`)).toBe(valueIn(`'${text}`))
      }),
    )
  })

  test('an unquoted value is put in, and a spliced list becomes part', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 5 }), fc.integer(), (list, item) => {
        const program = `(define l (list ${list.join(' ')})) \`(,${item} ,@l (,@l) end)`
        expect(valueIn(program)).toBe(
          `(${[item, ...list].join(' ')} ${list.length === 0 ? '()' : `(${list.join(' ')})`} end)`,
        )
      }),
    )
  })

  test('JSON that becomes a value and JSON again is the same', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const json = parseJson(text)
        const value = valueOfJson(json, meterWith())
        if (value instanceof Failure) throw new Error(value.message)
        const back = jsonOfValue(value, meterWith())
        if (back instanceof Failure) throw new Error(back.message)
        expect(canonicalJson(back)).toBe(canonicalJson(json))
      }),
    )
  })
})

test('JSON numbers are carried exactly', () => {
  for (const text of [
    '1',
    '1.0',
    '-0.0',
    '18446744073709551615',
    '-9223372036854775808',
    '1e+300',
    '0.1',
  ]) {
    expect(valueIn(`(value->json (json->value "${text}"))`)).toBe(`"${text}"`)
  }
})

test('a program of any text is run, refused or stopped, and never breaks', () => {
  const words = fc.constantFrom(
    '(',
    ')',
    "'",
    '`',
    ',',
    ',@',
    '.',
    '#(',
    '#;',
    'if',
    'let',
    'define',
    'lambda',
    'x',
    '1',
    '"s"',
    'car',
    'cond',
    'else',
    '=>',
    'guard',
    'do',
    'call/ec',
    'apply',
    'begin',
    'case',
    'hash',
    ':k',
    '#t',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), parts => {
      expect(typeof ran(parts.join(' '), { steps: 10_000 }).text).toBe('string')
    }),
    { numRuns: 500 },
  )
})

test('a host function stops the machine, and its result is the value of the call', () => {
  const calls: string[] = []
  const host = (action: string, args: readonly Value[]) => {
    calls.push(`${action} ${printed(listOf(args), 100)}`)
    return calls.length
  }
  const program =
    "(define (f) (issue.ready :limit 3)) (+ (f) (host 'dep.add) (map (lambda (x) x) '()) )"
  expect(ran(program, {}, host).text).toContain('needs numbers')
  expect(calls).toEqual(['issue.ready (:limit 3)', 'dep.add ()'])
})

test('a refusal of the host is a condition, and keeps its place', () => {
  const refusal = new Hash(new Map<string, Value>([['class', 'a.refused']]))
  const host = () => new Failure('refused', 'Ask a person.', refusal)
  expect(ran("(guard (e (#t (hash-ref e 'class))) (issue.claim))", {}, host).text).toBe(
    '"a.refused"',
  )
  expect(ran('(define x 1)\n (issue.claim)', {}, host).text).toBe('2:2 refused')
})

test('a prompt knows a form that more lines may complete', () => {
  expect(['(list 1', '"a', '#| x', "'", '(list "a'].map(isIncomplete)).toEqual(Array(5).fill(true))
  expect(['(list 1)', ')', '#<x>', ''].map(isIncomplete)).toEqual(Array(4).fill(false))
})
