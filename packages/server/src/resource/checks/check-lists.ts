/** Finds mistakes in the list of a declaration, and in its keys. */

import { operationsIn } from '../access/change-rule.ts'
import { markOf } from '../accounts/engine-table.ts'
import type { DeclaredResource } from '../define.ts'
import type { Field } from '../fields/field.ts'
import {
  type DeclarationCheck,
  engineNames,
  fieldOf,
  isEngineName,
  listedField,
  noField,
  storedField,
} from './declaration-check.ts'

type List = NonNullable<DeclaredResource['list']>

export function checkList(context: DeclarationCheck): void {
  const { declared, report } = context
  const { list } = declared
  if (!list) {
    if (operationsIn(declared.access).has('list')) report('access.list', 'needs a list: { style: … }')
    return
  }
  for (const name of list.sortable ?? []) checkSortable(context, name)
  const sortKey = list.defaultSort?.replace(/^-/, '')
  const sorted = sortKey === undefined ? undefined : listedField(context, 'list.defaultSort', sortKey)
  if (sorted?.read) report('list.defaultSort', `"${sortKey}" has a rule for reads, and the order would tell its values`)
  if (list.style === 'cursor' && (list.sortable || list.defaultSort)) {
    report('list', 'the style "cursor" is walked by the id alone: no sortable, no defaultSort')
  }
  checkFilterable(context, list)
  checkFilters(context, list)
  if (list.bulk) checkBulk(context)
  checkUnindexed(context, list)
  for (const name of list.search ?? []) {
    const field = listedField(context, 'list.search', name)
    if (field && !field.type.isProse) report('list.search', `"${name}" is no text`)
    if (field?.read) report('list.search', `"${name}" has a rule for reads, so it cannot be searched in`)
  }
}

function checkSortable(context: DeclarationCheck, name: string): void {
  const field = listedField(context, 'list.sortable', name)
  if (field?.type.isOpaque && !field.type.item)
    context.report('list.sortable', `"${name}" is ${kindOf(field)}, which has no order`)
}

/** Beside fields that are stored, a list may be filtered by links. */
function checkFilterable(context: DeclarationCheck, { filterable = [] }: List): void {
  for (const name of filterable)
    if (fieldOf(context.declared, name)?.virtual?.kind !== 'links') listedField(context, 'list.filterable', name)
}

function checkBulk({ declared, report }: DeclarationCheck): void {
  const { access, concurrency, fields } = declared
  const hasSecret = Object.values(fields).some(({ type }) => type.secret !== undefined)
  const operations = operationsIn(access)
  if (!operations.has('update') && !operations.has('delete')) report('list.bulk', 'needs a rule for update or delete')
  if (concurrency) report('list.bulk', 'and concurrency: "required" exclude each other: a filter names no versions')
  if (markOf(declared) || hasSecret)
    report('list.bulk', 'is not for users, sessions and keys, which are written one by one')
}

function checkUnindexed({ declared, report }: DeclarationCheck, list: List): void {
  const filtered = Object.values(list.filters ?? {}).map(({ field }) => field)
  const indexed = new Set([...(list.sortable ?? []), ...filtered])
  for (const name of list.unindexed ?? []) {
    const at = 'list.unindexed'
    const field = fieldOf(declared, name)
    if (!field) report(at, noField(declared, name))
    else if (field.type.referredBy) report(at, `"${name}" is a key, and keys keep their index`)
    else if (field.reference) report(at, `"${name}" is a reference, and references keep their index`)
    else if (!indexed.has(name)) report(at, `"${name}" has no index: it is neither sortable nor filtered`)
    else if (name === list.defaultSort?.replace(/^-/, ''))
      report(at, `"${name}" is the default sort, which every list without a sort walks`)
  }
}

function checkFilters(context: DeclarationCheck, { filters }: List): void {
  const { report } = context
  for (const [parameter, filter] of Object.entries(filters ?? {})) {
    const at = `list.filters.${parameter}`
    const misnamed = isEngineName(parameter)
      ? engineNames
      : !/^[A-Za-z_]\w*$/.test(parameter) && 'the name of a parameter is letters, digits and _'
    if (misnamed) report(at, misnamed)
    const field = listedField(context, at, filter.field)
    const operator = filter.by === 'true' ? 'eq' : filter.by
    if (field && !field.type.operators.includes(operator)) report(at, `${field.type.name} fields have no "${operator}"`)
    if (field && filter.by === 'true' && field.type.column !== 'boolean') report(at, `"${filter.field}" is no boolean`)
  }
}

export function checkKeys(context: DeclarationCheck): void {
  const { declared, report } = context
  for (const [name, field] of Object.entries(declared.fields))
    if (field.unique && field.type.isOpaque) report(`field "${name}"`, `${kindOf(field)} cannot be unique`)
  for (const key of declared.unique ?? []) checkKey(context, key)
  for (const name of declared.addOnCreate ?? []) checkAdded(context, name)
  for (const name of Object.keys(declared.onWrite ?? {})) {
    if (storedField(context, 'onWrite', name)?.type.referredBy)
      report('onWrite', `"${name}" is the id, which never changes`)
  }
}

function kindOf({ type }: Field): string {
  if (type.holdsFiles) return type.holdsFiles === 'one' ? 'a file' : 'a list of files'
  return type.item ? 'a list' : 'JSON'
}

function checkKey(context: DeclarationCheck, key: readonly string[]): void {
  const { report } = context
  if (key.length === 0) report('unique', 'a key names one field at least')
  if (new Set(key).size < key.length) report('unique', `[${key.join(', ')}] names a field twice`)
  for (const name of key) {
    const field = storedField(context, 'unique', name)
    if (field?.type.isOpaque) report('unique', `"${name}" is ${kindOf(field)}`)
  }
}

function checkAdded({ declared, report }: DeclarationCheck, name: string): void {
  const field = fieldOf(declared, name)
  const isNumber =
    field?.type.column === 'integer' &&
    !field.virtual &&
    !field.reference &&
    !field.type.referredBy &&
    !field.type.series
  if (!field) report('addOnCreate', noField(declared, name))
  else if (!isNumber) report('addOnCreate', `"${name}" is no number`)
  if (!declared.unique?.length) report('addOnCreate', 'needs a unique key to meet an existing record by')
}
