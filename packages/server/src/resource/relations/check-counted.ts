/**
 * Finds mistakes in counted fields: relations that do not exist, values that cannot be counted, and
 * conditions that read other records.
 */

import { type DeclarationCheck, fieldOf, noField } from '../checks/declaration-check.ts'
import type { DeclaredResource } from '../define.ts'
import type { CountedBy } from '../fields/counted-by.ts'
import type { Field } from '../fields/field.ts'
import { checkRule } from '../rule.ts'
import { tenantPathOf } from '../tenancy/tenant-path.ts'
import { tenantNames } from '../tenancy/tenant-words.ts'
import { countedForm, countedLink, ruleOfCounted } from './link-counted.ts'

/** Why nothing can be counted from this field of those records. */
function sourceMistake(counted: CountedBy, from: DeclaredResource): string | undefined {
  const { kind, field: name } = counted
  if (name === undefined) return undefined
  const field = fieldOf(from, name)
  if (!field) return noField(from, name)
  if (field.virtual) return `"${name}" of "${from.name}" is not stored`
  if (field.counted) return `"${name}" of "${from.name}" is counted itself`
  if (countedForm(counted, from)) return undefined
  return kind === 'sum'
    ? `"${name}" of "${from.name}" is no integer(), bigint(), decimal() or money(), which can be summed`
    : `"${name}" of "${from.name}" is no date or time`
}

/** A touch changes the times of records that it does not read. */
function touchMistake(from: DeclaredResource, name: string, { byName }: DeclarationCheck): string | undefined {
  if (fieldOf(from, name)?.setBy !== 'write') return undefined
  const isTouched = [...byName.values()].some(({ fields }) =>
    Object.values(fields).some(({ reference }) => reference?.touch && reference.resource === from.name),
  )
  return isTouched
    ? `"${name}" of "${from.name}" also changes when its parts are written, which counts nothing`
    : undefined
}

type CheckedSource = { readonly from: DeclaredResource; readonly report: (problem: string) => void }

function checkWhere(context: DeclarationCheck, counted: CountedBy, { from, report }: CheckedSource): void {
  const rule = ruleOfCounted(counted)
  if (!rule) return
  const source = /"source":"(\w+)"/.exec(JSON.stringify(counted.where))?.[1]
  if (source) report(`where: ${source}() is another value for each request or record: compare with values alone`)
  if (source) return
  checkRule(rule, { ...context, declared: from, about: 'record', report })
  for (const name of Object.keys(counted.where ?? {}))
    if (fieldOf(from, name)?.virtual) report(`where: "${name}" of "${from.name}" is not stored`)
    else if (fieldOf(from, name)?.counted) report(`where: "${name}" of "${from.name}" is counted itself`)
}

/** The way to the tenant: undefined for records of none. */
function hasTenant(declared: DeclaredResource, { byName, tenancies }: DeclarationCheck): boolean {
  return tenantPathOf(declared, { byName, tenants: tenantNames(tenancies) }) !== undefined
}

function checkOne(context: DeclarationCheck, at: string, { counted, read }: Field): void {
  if (!counted) return
  const { declared, byName, report } = context
  const link = countedLink(byName.values(), declared, counted.relation)
  if (typeof link === 'string') {
    report(at, link)
    return
  }
  const { resource: from, by } = link
  if (fieldOf(from, by)?.reference?.resource !== declared.name) return // reported with the children
  const problem = sourceMistake(counted, from) ?? touchMistake(from, counted.field ?? '', context)
  if (problem) report(at, problem)
  // A `read` rule says that the number may be told.
  if (!read && hasTenant(from, context) && !hasTenant(declared, context))
    report(at, `counts the records of all tenants, and so tells each of the others: guard it with read`)
  checkWhere(context, counted, { from, report: (mistake) => report(at, mistake) })
}

export function checkCounted(context: DeclarationCheck): void {
  const { declared, report } = context
  for (const [name, field] of Object.entries<Field>(declared.fields)) {
    if (!field.counted) continue
    checkOne(context, `field "${name}"`, field)
    const follows = `"${name}" follows from other records`
    if (declared.onWrite && Object.hasOwn(declared.onWrite, name)) report('onWrite', follows)
    if (declared.unique?.some((key) => key.includes(name))) report('unique', follows)
  }
}
