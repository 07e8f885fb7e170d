/**
 * Finds every mistake in the declarations that the compiler does not see, with file and field, all at once. The server does not start with
 * one.
 */
import { checkEarlier, checkEarlierResource } from './check-earlier.ts'
import type { Declared, IdentityMark } from './define.ts'
import type { Field } from './fields/field.ts'
import { reservedParameters } from './list-style.ts'
import { pluralOf, snakeOf } from './names.ts'
import { engineOperations, isEngineOperation } from './operation-kind.ts'

type Report = (where: string, problem: string) => void
type Context = { readonly declared: Declared; readonly byName: ReadonlyMap<string, Declared>; readonly report: Report }

const namePattern = /^[a-z][A-Za-z0-9]*$/
const fieldPattern = /^_?[a-z][A-Za-z0-9]*$/
const pathPattern = /^\/[a-z0-9]+(-[a-z0-9]+)*$/
const reservedFields = new Set(['version', 'constructor', 'prototype', 'search', 'rowId'])

function checkFields(context: Context): void {
  const { declared, byName, report } = context
  const ids = Object.entries(declared.fields).filter(([, field]) => field.type.referredBy)
  if (ids.length !== 1) report('fields', `exactly one field must be id() or integerId(), here are ${ids.length}`)
  const columns = new Map<string, string>()
  for (const [name, field] of Object.entries(declared.fields)) {
    const at = `field "${name}"`
    const other = columns.get(snakeOf(name))
    if (other) report(at, `is stored in the same column as "${other}"`)
    columns.set(snakeOf(name), name)
    if (!fieldPattern.test(name)) report(at, 'a name is camelCase letters and digits')
    if (reservedFields.has(name) || name.endsWith('Folded')) report(at, 'this name is taken by the engine')
    if (reservedParameters.has(name)) report(at, 'this is the name of a query parameter of every list')
    if (field.reference && !byName.has(field.reference.resource)) {
      report(at, `refers to "${field.reference.resource}", which is not in the list of resources`)
    }
    if (field.required && field.default !== undefined) report(at, 'is required, so its default is never used')
    checkEarlier(at, field, context)
    checkMoves(at, field, context)
    checkVirtual(at, field, context)
    checkDefault(at, field, report)
  }
}

function checkDefault(at: string, field: Field, report: Report): void {
  if (field.default === undefined || field.default === null || typeof field.default === 'function') return
  try {
    field.type.check(field.default, 'its default', field)
  } catch (error) {
    report(at, (error as Error).message)
  }
}

function checkMoves(at: string, field: Field, { declared, report }: Context): void {
  for (const [name, move] of Object.entries(field.moves ?? {})) {
    if (isEngineOperation(name)) report(at, `move "${name}" has the name of an operation`)
    const twin = Object.values(declared.fields).find((other) => other.moves && Object.hasOwn(other.moves, name))
    if (twin !== field) report(at, `move "${name}" is also a move of another field`)
    if (!declared.access[name]) report(at, `move "${name}" has no rule under access`)
    for (const state of [...move.from, move.to]) {
      if (!field.values?.includes(state)) report(at, `move "${name}" names the state "${state}", which does not exist`)
    }
    if (move.stamp !== undefined && declared.fields[move.stamp]?.setBy !== 'move') {
      report(at, `move "${name}" stamps "${move.stamp}", which is not a timestamp({ setOn: 'move' })`)
    }
  }
}

function checkVirtual(at: string, { virtual }: Field, { declared, byName, report }: Context): void {
  if (virtual?.kind === 'embedded') {
    if (!Number.isSafeInteger(virtual.max) || virtual.max < 1) report(at, 'max is a whole number from 1')
    const by = byName.get(virtual.resource)?.fields[virtual.by]
    if (by?.reference?.resource !== declared.name) {
      report(at, `embeds "${virtual.resource}" by "${virtual.by}", which is no reference to "${declared.name}"`)
    }
  }
  if (virtual?.kind === 'looked-up') {
    const target = byName.get(declared.fields[virtual.via]?.reference?.resource ?? '')
    if (!target) report(at, `is looked up via "${virtual.via}", which is no reference`)
    else if (!target.fields[virtual.field])
      report(at, `is looked up in "${virtual.field}", which "${target.name}" does not have`)
    else if (target.fields[virtual.field]?.virtual)
      report(at, `is looked up in "${virtual.field}", which is not stored`)
    else if (target.fields[virtual.field]?.hidden || target.fields[virtual.field]?.read) {
      report(at, `is looked up in "${virtual.field}", which not everybody may read`)
    }
  }
}

/** The field, when a list may depend on it. Otherwise reports the mistake and returns undefined. */
function listedField({ declared, report }: Context, at: string, name: string): Field | undefined {
  const field = declared.fields[name]
  if (!field) report(at, `no field "${name}"`)
  else if (field.virtual) report(at, `"${name}" is not stored`)
  else if (field.hidden) report(at, `"${name}" is never shown, so nothing may depend on it`)
  else return field
  return undefined
}

function checkList(context: Context): void {
  const { declared, report } = context
  const { list } = declared
  if (!list) {
    if (declared.access.list) report('access.list', 'needs a list: { style: … }')
    return
  }
  for (const name of list.sortable ?? []) listedField(context, 'list.sortable', name)
  const sortKey = list.defaultSort?.replace(/^-/, '')
  if (sortKey !== undefined) listedField(context, 'list.defaultSort', sortKey)
  if (list.style === 'cursor' && (list.sortable || list.defaultSort)) {
    report('list', 'the style "cursor" is walked by the id alone: no sortable, no defaultSort')
  }
  for (const name of list.filterable ?? []) listedField(context, 'list.filterable', name)
  checkFilters(context, list)
  checkUnindexed(context, list)
  for (const name of list.search ?? []) {
    const field = listedField(context, 'list.search', name)
    if (field && !field.type.isProse) report('list.search', `"${name}" is no text`)
    if (field?.read) report('list.search', `"${name}" is not for everybody to read, so it cannot be searched in`)
  }
}

function checkUnindexed({ declared, report }: Context, list: NonNullable<Declared['list']>): void {
  const filtered = Object.values(list.filters ?? {}).map(({ field }) => field)
  const indexed = new Set([...(list.sortable ?? []), ...filtered])
  for (const name of list.unindexed ?? []) {
    const at = 'list.unindexed'
    if (!declared.fields[name]) report(at, `no field "${name}"`)
    else if (declared.fields[name]?.type.referredBy) report(at, `"${name}" is a key, and keys keep their index`)
    else if (declared.fields[name]?.reference) report(at, `"${name}" is a reference, and references keep their index`)
    else if (!indexed.has(name)) report(at, `"${name}" has no index: it is neither sortable nor filtered`)
    else if (name === list.defaultSort?.replace(/^-/, ''))
      report(at, `"${name}" is the default sort, which every list without a sort walks`)
  }
}

function checkFilters(context: Context, { filters }: NonNullable<Declared['list']>): void {
  const { report } = context
  for (const [parameter, filter] of Object.entries(filters ?? {})) {
    const at = `list.filters.${parameter}`
    if (reservedParameters.has(parameter)) report(at, 'this is the name of a query parameter of every list')
    const field = listedField(context, at, filter.field)
    const operator = filter.by === 'true' ? 'eq' : filter.by
    if (field && !field.type.operators.includes(operator)) report(at, `${field.type.name} fields have no "${operator}"`)
    if (field && filter.by === 'true' && field.type.column !== 'boolean') report(at, `"${filter.field}" is no boolean`)
  }
}

function checkAccess(context: Context): void {
  const { declared, report } = context
  const actions = new Set([...Object.keys(declared.actions ?? {})])
  for (const field of Object.values(declared.fields))
    for (const move of Object.keys(field.moves ?? {})) actions.add(move)
  for (const [name, rule] of Object.entries(declared.access)) {
    if (!rule) continue
    const known = [...engineOperations, ...actions]
    if (!known.includes(name)) report(`access.${name}`, `no such operation; there are ${known.join(', ')}`)
    rule.type.check(rule, { ...context, report: (problem) => report(`access.${name}`, problem) })
  }
  for (const name of actions) if (!declared.access[name]) report(`actions.${name}`, 'has no rule under access')
  const nested = [...context.byName.values()].some((other) =>
    Object.values(other.children ?? {}).some((child) => child.resource === declared.name),
  )
  if (!declared.path && !nested && Object.keys(declared.access).length > 0) {
    report('path', 'is missing, and no other resource has this one as a child: its operations cannot be reached')
  }
}

function checkChildren({ declared, byName, report }: Context): void {
  for (const [name, child] of Object.entries(declared.children ?? {})) {
    const at = `children.${name}`
    const target = byName.get(child.resource)
    if (!target) report(at, `"${child.resource}" is not in the list of resources`)
    else if (target.fields[child.by]?.reference?.resource !== declared.name) {
      report(at, `"${child.resource}" has no reference "${child.by}" to "${declared.name}"`)
    } else if (child.single && !target.unique?.some((key) => key.length === 1 && key[0] === child.by)) {
      report(at, `"${child.resource}" must have unique: [['${child.by}']], so that there is one at most`)
    }
  }
}

function checkKeys({ declared, report }: Context): void {
  for (const key of declared.unique ?? []) {
    for (const name of key) if (!declared.fields[name]) report('unique', `no field "${name}"`)
  }
  for (const name of declared.addOnCreate ?? []) {
    if (declared.fields[name]?.type.column !== 'integer') report('addOnCreate', `"${name}" is no number`)
    if (!declared.unique?.length) report('addOnCreate', 'needs a unique key to meet an existing record by')
  }
  for (const name of Object.keys(declared.follow ?? {})) {
    if (!declared.fields[name]) report('follow', `no field "${name}"`)
  }
}

function checkActions({ declared, byName, report }: Context): void {
  for (const [name, action] of Object.entries(declared.actions ?? {})) {
    if (isEngineOperation(name)) report(`actions.${name}`, 'has the name of an operation')
    if (action.returns !== undefined && !byName.has(action.returns))
      report(`actions.${name}`, `returns "${action.returns}", which does not exist`)
  }
}

function checkGraphql({ declared, report }: Context): void {
  const operations = new Set([...Object.keys(declared.access), ...Object.keys(declared.actions ?? {})])
  for (const side of ['query', 'mutation'] as const) {
    for (const [name, field] of Object.entries(declared.graphql?.[side] ?? {})) {
      const operation = typeof field === 'string' ? field : field.operation
      if (!operations.has(operation)) report(`graphql.${side}.${name}`, `no operation "${operation}"`)
    }
  }
}

function checkIdentity({ declared, byName, report }: Context): void {
  const mark = declared.identity as (IdentityMark & Record<string, string>) | undefined
  if (!mark) return
  const first = [...byName.values()].find((other) => other.identity?.kind === mark.kind)
  if (first !== declared) report('identity', `"${first?.name}" is marked as "${mark.kind}" already`)
  for (const [part, name] of Object.entries(mark)) {
    if (part === 'kind' || part === 'activeStatus') continue
    if (!declared.fields[name]) report(`identity.${part}`, `no field "${name}"`)
  }
}

/** One line for each mistake: `resources/books.ts: book: field "title": …`. */
export function findMistakes(declarations: readonly Declared[]): string[] {
  const mistakes: string[] = []
  const byName = new Map(declarations.map((declared) => [declared.name, declared]))
  const seen = new Map<string, string>()
  for (const declared of declarations) {
    const report: Report = (where, problem) =>
      mistakes.push(`${declared.writtenIn}: ${declared.name}: ${where}: ${problem}`)
    const context = { declared, byName, report }
    if (!namePattern.test(declared.name)) report('name', 'a name is camelCase letters and digits')
    if (declared.path !== undefined && !pathPattern.test(declared.path)) {
      report('path', `"${declared.path}" must be / and lower-case words with hyphens, without a slash at the end`)
    }
    for (const key of [declared.name, declared.path, `table of ${declared.plural ?? pluralOf(declared.name)}`]) {
      if (key === undefined) continue
      if (seen.has(key)) report('name', `"${key}" is also declared in ${seen.get(key)}`)
      seen.set(key, declared.writtenIn)
    }
    checkEarlierResource(context, byName)
    checkFields(context)
    checkList(context)
    checkAccess(context)
    checkChildren(context)
    checkKeys(context)
    checkActions(context)
    checkGraphql(context)
    checkIdentity(context)
  }
  return mistakes
}
