/** The errors of a form with lines: each stands at its cell, its line or its field. */

import type { Row } from '../api/rows.ts'
import { type Problems, problemsWith } from '../fields/unsent.ts'
import { errorsIn, type FormErrors, fieldIn } from '../shell/form-errors.ts'
import { serverSentence } from '../words/words.ts'
import { type InBody, lineProblems, placeOf } from './line-edits.ts'

/** The problems of the fields with those of the lines; undefined where all can be sent. */
export function withLineProblems(nested: readonly InBody[], changes: Row, problems: Problems): Problems {
  return problemsWith(problems, lineProblems(nested, changes))
}

/** `lines[1]: amount must be …` */
const ofLine = /^([\w.]+(?:\.(?:create|update|delete))?\[\d+\]): (.*)$/s

/** The server's refusal of a request, which names lines by their numbers in the body. */
export function errorsWithLines(nested: readonly InBody[], changes: Row, error: unknown): FormErrors {
  const told = errorsIn(error, (name) => placeOf(nested, changes, name) ?? fieldIn(name))
  const [, named = '', sentence = ''] = ofLine.exec(error instanceof Error ? error.message : '') ?? []
  const place = placeOf(nested, changes, named)
  const one = nested.find(({ child }) => child.name === place?.split('.')[0])
  if (place === undefined || !one) return told
  const isTold = Object.keys(told.fields).some((name) => name === place || name.startsWith(`${place}.`))
  return {
    message: `${one.child.label}: ${told.message.replace(`${named}: `, '')}`,
    fields: isTold ? told.fields : { ...told.fields, [place]: serverSentence(sentence) },
  }
}
