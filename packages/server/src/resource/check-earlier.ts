/** Mistakes in what a declaration says about earlier ones: names that are still there, words that are still valid, values that do not fit. */
import type { Declared } from './define.ts'
import type { Field } from './fields/field.ts'
import { earlierNames, earlierWords } from './fields/field-facts.ts'

type Checking = { readonly declared: Declared; report(where: string, problem: string): void }

function checkNames(at: string, field: Field, { declared, report }: Checking): void {
  for (const name of earlierNames(field))
    if (declared.fields[name]) report(at, `was "${name}", which is still declared`)
  const words = Object.entries(earlierWords(field))
  if (words.length > 0 && !field.values) report(at, 'has no words, so "was" takes only names')
  for (const [from, to] of field.values ? words : []) {
    if (field.values?.includes(from)) report(at, `was has the word "${from}", which is still one of its words`)
    if (!field.values?.includes(to)) report(at, `was makes "${from}" "${to}", which is none of its words`)
  }
}

export function checkEarlier(at: string, field: Field, checking: Checking): void {
  const { report } = checking
  const { was, backfill, convert } = field
  checkNames(at, field, checking)
  if (field.virtual && (was ?? backfill ?? convert) !== undefined)
    report(at, 'is not stored, so it takes no was, backfill or convert')
  if (convert !== undefined && typeof convert !== 'function') report(at, 'convert is a function')
  if (backfill === null) report(at, 'has the backfill null, which gives stored records no value')
  if (backfill === undefined || backfill === null || typeof backfill === 'function') return
  try {
    field.type.check(backfill, 'its backfill', field)
  } catch (error) {
    report(at, (error as Error).message)
  }
}

/** An earlier name of the resource. */
export function checkEarlierResource({ declared, report }: Checking, byName: ReadonlyMap<string, Declared>): void {
  for (const name of [declared.was ?? []].flat()) if (byName.has(name)) report('was', `"${name}" is still declared`)
}
