/** JUnit's XML: a suite for each document. It keeps to the schema that Jenkins checks reports with. */
import { visible } from '../../kernel/text/visible.ts'
import type { ReportedProblem } from './reported.ts'
import {
  byFile,
  type ReportedCase,
  type ReportedRun,
  remarksOf,
  whyNotRun,
} from './reported-run.ts'
import { element, type XmlElement, xmlText } from './xml.ts'

export function junit({ json, cases, problems, startedMs }: ReportedRun): string {
  const casesOf = byFile(cases)
  const problemsOf = byFile(problems)
  const timestamp = new Date(startedMs).toISOString().slice(0, -'.000Z'.length)
  const suites = [...new Set([...casesOf.keys(), ...problemsOf.keys()])].map(file => {
    const own = casesOf.get(file) ?? []
    const broken = problemsOf.get(file) ?? []
    const attributes = {
      name: visible(file),
      ...countsOf(own, broken),
      skipped: own.filter(one => whyNotRun(one) !== undefined).length,
      time: seconds(own.reduce((sum, one) => sum + one.durationMs, 0)),
      timestamp,
      file: visible(file),
    }
    return element('testsuite', attributes, [...own.map(caseOf), ...broken.map(brokenOf)])
  })
  const attributes = {
    name: 'premath spec run',
    ...countsOf(cases, problems),
    time: seconds(json.durationMs),
  }
  return xmlText(element('testsuites', attributes, suites))
}

/** A document that could not be read is an error, no failure of what it tests. */
const countsOf = (cases: readonly ReportedCase[], problems: readonly ReportedProblem[]) => ({
  tests: cases.length + problems.length,
  failures: cases.filter(({ status }) => status === 'fail').length,
  errors: problems.length,
})

/** The schema allows three decimals. */
const seconds = (ms: number) => (ms / 1000).toFixed(3)

function caseOf(one: ReportedCase): XmlElement {
  const { id, title, file, line, column, status, at, durationMs, category, message, text } = one
  const why = whyNotRun(one)
  const remarks = remarksOf(one)
  // The schema has no attributes for the place of a case. Some texts name it already.
  const place = `${file}:${at?.line ?? line}:${at?.column ?? column}`
  const placed = text.includes(`${place}:`) ? text : `${place}\n${text}`
  return element('testcase', nameOf(title === '' ? id : `${id}: ${title}`, one, durationMs), [
    ...(status === 'fail' ? [textual('failure', category ?? '', message ?? '', placed)] : []),
    ...(why === undefined ? [] : [element('skipped', { message: `${status}: ${why}` })]),
    ...(remarks.length === 0 ? [] : [element('system-out', {}, remarks.join('\n'))]),
  ])
}

const brokenOf = (problem: ReportedProblem): XmlElement =>
  element('testcase', nameOf(problem.code, problem, 0), [
    textual('error', problem.code, problem.message, problem.text),
  ])

const nameOf = (name: string, { file }: { readonly file: string }, ms: number) => ({
  classname: visible(file),
  name: visible(name),
  time: seconds(ms),
})

const textual = (name: string, type: string, message: string, text: string) =>
  element(name, { type: visible(type), message }, text)
