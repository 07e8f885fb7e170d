/**
 * The changes of the records below one, which its form saves in the same request: the lines that
 * were added, changed and removed. They are a change of the form under the name of the child.
 */
import type { ChildDescription, FieldDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { isSameValue, type Located, type Row } from '../api/rows.ts'
import { changeProblem, newProblem, problemsIn, sendable } from '../fields/unsent.ts'
import { newId, type RecordPlace } from './record-place.ts'

export type NewLine = { readonly key: string; readonly values: Row; readonly isRemoved: boolean }
export type ChangedLine = { readonly id: string | number; readonly values: Row }
export type LineEdits = {
  readonly added: readonly NewLine[]
  readonly changed: readonly ChangedLine[]
  readonly removed: readonly (string | number)[]
}

/** A child whose records stand in the form of the record above. */
export type InBody = {
  readonly child: ChildDescription
  /** Below the record; `operations` are those that the caller may do there. */
  readonly resource: Located
  /** It has addresses of its own. */
  readonly isOwn: boolean
  /** The parameters that select them among the changes of their resource. */
  readonly selects: ListQuery
  /** Those that the caller may write in some way. */
  readonly fields: readonly FieldDescription[]
}

const none: LineEdits = { added: [], changed: [], removed: [] }

export function editsIn(changes: Row, { child }: InBody): LineEdits {
  return (changes[child.name] as LineEdits | undefined) ?? none
}

/** No edits are no change of the form. */
function orNone(edits: LineEdits): LineEdits | undefined {
  return edits.added.length + edits.changed.length + edits.removed.length > 0 ? edits : undefined
}

export function withNewLine(edits: LineEdits): LineEdits {
  // No new line goes from the list, so its number is free.
  const key = `new-${edits.added.length + 1}`
  return { ...edits, added: [...edits.added, { key, values: {}, isRemoved: false }] }
}

export function withNewValue(edits: LineEdits, key: string, set: Row): LineEdits {
  const added = edits.added.map((line) => (line.key === key ? { ...line, values: { ...line.values, ...set } } : line))
  return { ...edits, added }
}

/** Removes a new line, or brings it back. */
export function withNewToggled(edits: LineEdits, key: string): LineEdits {
  const added = edits.added.map((line) => (line.key === key ? { ...line, isRemoved: !line.isRemoved } : line))
  return { ...edits, added }
}

/** A value as it was stored is no change. */
export function withValue(edits: LineEdits, line: { readonly id: ChangedLine['id']; readonly row: Row }, set: Row) {
  const { id, row } = line
  const before = edits.changed.find((one) => one.id === id)?.values
  const values = Object.entries({ ...before, ...set }).filter(([name, value]) => !isSameValue(value, row[name]))
  const others = edits.changed.filter((one) => one.id !== id)
  return orNone({
    ...edits,
    changed: values.length > 0 ? [...others, { id, values: Object.fromEntries(values) }] : others,
  })
}

/** Removes a stored line, or brings it back with its changes. */
export function withToggled(edits: LineEdits, id: ChangedLine['id']): LineEdits | undefined {
  const { removed } = edits
  return orNone({ ...edits, removed: removed.includes(id) ? removed.filter((one) => one !== id) : [...removed, id] })
}

/** The lines that a request has, in its order. */
function sentLines({ added, changed, removed }: LineEdits) {
  return {
    create: added.filter(({ isRemoved }) => !isRemoved),
    update: changed.filter(({ id }) => !removed.includes(id)),
    delete: removed,
  }
}

/** The body of a request: children are lists in a create, else what changed. */
export function bodyOf({ resource, id }: RecordPlace, nested: readonly InBody[], changes: Row): Row {
  const below = new Set(resource.children.filter(({ inBody }) => inBody).map(({ name }) => name))
  const own = Object.fromEntries(Object.entries(changes).filter(([name]) => !below.has(name)))
  return { ...own, ...childrenOf(nested, changes, id === newId ? 'create' : 'update') }
}

function childrenOf(nested: readonly InBody[], changes: Row, kind: 'create' | 'update'): Row {
  const bodies = nested.flatMap((one) => {
    const { child, resource, fields } = one
    const lines = sentLines(editsIn(changes, one))
    const create = lines.create.map(({ values }) => sendable(fields, values))
    const update = lines.update.map(({ id, values }) => ({ [resource.idField]: id, ...values }))
    const parts = Object.entries({ create, update, delete: lines.delete }).filter(([, list]) => list.length > 0)
    if (parts.length === 0) return []
    return [[child.name, kind === 'create' ? create : Object.fromEntries(parts)] as const]
  })
  return Object.fromEntries(bodies)
}

/** The name of a line, or of a cell of it, among the errors of the form. */
export function placeIn({ child }: InBody, line: string | number, field?: string): string {
  return [child.name, line, ...(field === undefined ? [] : [field])].join('.')
}

/** `lines.1.amount` or `lines.update[0]`, as the server names it, as a place of the page. */
export function placeOf(nested: readonly InBody[], changes: Row, named: string): string | undefined {
  const [name, ...rest] = named.replace(/\[(\d+)\]/g, '.$1').split('.')
  const one = nested.find(({ child }) => child.name === name)
  if (!one) return undefined
  const lines = sentLines(editsIn(changes, one))
  const list = rest[0] === 'update' || rest[0] === 'delete' ? rest[0] : 'create'
  const [at, field] = rest[0] === list ? rest.slice(1) : rest
  const line = lines[list][Number(at)]
  if (at === undefined || line === undefined) return one.child.name
  const key = typeof line !== 'object' ? line : 'key' in line ? line.key : line.id
  return placeIn(one, key, field)
}

/** Cells whose values cannot be sent, with their problems. */
export function lineProblems(nested: readonly InBody[], changes: Row): Readonly<Record<string, string>> {
  const found = nested.flatMap((one) => {
    const lines = sentLines(editsIn(changes, one))
    const ofNew = one.fields.filter(({ settable }) => settable.includes('create'))
    const told = (line: string | number, problems: ReturnType<typeof problemsIn>) =>
      Object.entries(problems?.fields ?? {}).map(([field, problem]) => [placeIn(one, line, field), problem] as const)
    return [
      ...lines.create.flatMap(({ key, values }) => told(key, problemsIn(ofNew, values, newProblem))),
      ...lines.update.flatMap(({ id, values }) => {
        const changed = one.fields.filter(({ name }) => name in values)
        return told(id, problemsIn(changed, values, changeProblem))
      }),
    ]
  })
  return Object.fromEntries(found)
}
