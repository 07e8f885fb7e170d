/**
 * The engine's table of the versions of a resource with `history`. It has the columns of the
 * resource, so a version is checked, shown and migrated as its record is. Hidden fields and secrets
 * are not in it, and rules judge the record as it is now.
 */
import { resolveAccess } from '../access/change-rule.ts'
import type { Action } from '../action.ts'
import { type DeclaredResource, engineTraits } from '../define.ts'
import { choice } from '../fields/choice.ts'
import type { Field, FieldType } from '../fields/field.ts'
import { withoutSeries } from '../fields/field-facts.ts'
import { id } from '../fields/id.ts'
import { textList } from '../fields/list.ts'
import { integer } from '../fields/numbers/integer.ts'
import { reference } from '../fields/reference.ts'
import { text } from '../fields/text.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import { isRule, type Rule } from '../rule.ts'
import { allOf } from '../rules/all-of.ts'
import { through } from '../rules/through.ts'
import { noTraits } from '../traits.ts'
import { labelOf } from '../words/names.ts'
import {
  historyChild,
  historyFields,
  historyKinds,
  revertAction,
  versionName,
  versionsKept,
} from './declared-history.ts'
import { revert } from './revert-action.ts'

/** The fields of a record that its versions have: neither secrets nor what no caller sees. */
export function versionedNames({ fields }: Pick<DeclaredResource, 'fields'>): readonly string[] {
  return Object.keys(fields).filter((name) => {
    const { virtual, counted, hidden, type } = fields[name] as Field
    const isKept = virtual === undefined || virtual.kind === 'links'
    return isKept && !counted && !hidden && type.secret === undefined && type.referredBy === undefined
  })
}

/** The other resources. `users`: the name of those who log in. */
export type Beside = { readonly byName: ReadonlyMap<string, DeclaredResource>; readonly users: string | undefined }
type ByName = Beside['byName']

/** A reference is an id without an index, and the engine counts no number for a version. */
function typeOf({ type, reference }: Field, byName: ByName): FieldType {
  if (!reference) return withoutSeries(type)
  const ids = Object.values(byName.get(reference.resource)?.fields ?? {})
  return ids.find((one) => one.type.referredBy)?.type.referredBy ?? type
}

/** Links have a table of their own. Their rule of reading is about the caller. */
function versionedLinks({ write: _, ...field }: Field): Field {
  return { ...field, setBy: 'engine', mistakes: [] }
}

/** The field with its form, its name and its rule of reading, and nothing that sets a value. */
export function versioned(field: Field, byName: ByName): Field {
  if (field.virtual) return versionedLinks(field)
  const { limits, values, read, returned, description, example, renamedFrom, convert } = field
  return {
    ...{ limits, values, description, example, renamedFrom, convert },
    ...(field.takesRoles && { takesRoles: true }),
    ...(field.abilities && { abilities: field.abilities }),
    ...(returned && { returned }),
    ...(read && { read: through(historyFields.of, read) }),
    type: typeOf(field, byName),
    required: false,
    nullable: true,
    falsyIsDefault: false,
    immutable: false,
    hidden: false,
    keepOnReplace: false,
    unique: false,
    setBy: 'engine',
    mistakes: [],
  } as Field
}

function ownFields({ name: of, fields }: DeclaredResource, users: string | undefined): Record<string, Field> {
  const set = { setBy: 'engine' } as const
  const hasLinks = Object.values(fields).some(({ virtual }) => virtual?.kind === 'links')
  return {
    [historyFields.id]: id({ description: 'The id of the version.' }),
    [historyFields.of]: reference(of, { ...set, onDelete: 'delete', description: 'The record.' }),
    [historyFields.version]: integer({
      readOnly: true,
      min: 1,
      description: 'The version of the record, as in its ETag.',
    }),
    [historyFields.kind]: choice(historyKinds, {
      readOnly: true,
      description:
        'The write that made it; kept: the record as it was before its first change with a history; restore: it came back from the trash.',
    }),
    [historyFields.at]: timestamp({ readOnly: true, description: 'When it was written.' }),
    ...(users !== undefined && {
      [historyFields.by]: reference(users, { ...set, onDelete: 'keep', description: 'The user who wrote it.' }),
    }),
    [historyFields.credential]: text({
      readOnly: true,
      maxLength: 200,
      description: 'The kind of credential, and its id.',
      example: 'session:0198c0de-0000-7000-8000-000000000001',
    }),
    ...(hasLinks && { [historyFields.links]: textList({ hidden: true }) }),
  }
}

/** Those who may read the history, as a rule about the record. */
function readersOf({ access, history }: DeclaredResource): Rule | undefined {
  if (history === undefined) return undefined
  if (history.read) return isRule(history.read) ? history.read : undefined
  const { get, update } = resolveAccess(access).access
  return get && update ? allOf([get, update]) : get
}

/** Undefined for a resource without `history`, or without a rule of `get`. */
export function versionTable(declared: DeclaredResource, { byName, users }: Beside): DeclaredResource | undefined {
  const { name, history, fields, tenant, writtenIn, writtenAt } = declared
  const readers = readersOf(declared)
  if (history === undefined || readers === undefined) return undefined
  const rule = through(historyFields.of, readers)
  const { of, at, kind, version } = historyFields
  return {
    name: versionName(name),
    ...(declared.renamedFrom !== undefined && { renamedFrom: [declared.renamedFrom].flat().map(versionName) }),
    description: `${labelOf(name)} as it was stored at a time.`,
    fields: {
      ...ownFields(declared, users),
      ...Object.fromEntries(versionedNames(declared).map((one) => [one, versioned(fields[one] as Field, byName)])),
    },
    list: {
      style: 'page',
      defaultSort: `-${version}`,
      sortable: [version],
      filterable: [at, kind, version],
    },
    unique: [[of, version]],
    access: { list: rule, get: rule },
    ...(tenant !== undefined && { tenant: of }),
    [engineTraits]: {
      ...noTraits,
      made: { kind: 'history', of: name },
      ...(history.days !== undefined && { keptFor: { field: at, days: history.days } }),
    },
    writtenIn,
    writtenAt,
  }
}

/** The rule of a revert: an update by callers who may read the history. */
function revertAccess(declared: DeclaredResource): DeclaredResource['access'] {
  const { access, accessAfter } = resolveAccess(declared.access)
  const { read } = declared.history ?? {}
  if (!access.update) return {}
  const before = isRule(read) ? allOf([access.update, read]) : (readersOf(declared) as Rule)
  return { [revertAction]: accessAfter.update ? { before, after: accessAfter.update } : before }
}

/** The resource with the path to its versions, and the action that writes one again. */
export function withVersions(declared: DeclaredResource): DeclaredResource {
  const { name, access, children, actions, history } = declared
  if (history === undefined || readersOf(declared) === undefined) return declared
  const reverts = revertAccess(declared)
  return {
    ...declared,
    // An own child or action of the name stays, and is a mistake (`check-history.ts`).
    children: {
      [historyChild]: { resource: versionName(name), by: historyFields.of, operations: ['list', 'get'] },
      ...children,
    },
    ...(Object.hasOwn(reverts, revertAction) && {
      access: { ...reverts, ...access },
      actions: { [revertAction]: revert as Action, ...actions },
    }),
  }
}

/** The table of versions of a resource, and how many it keeps of each record. */
export function historyOf(declared: DeclaredResource): { resource: string; keep: number } | undefined {
  const { name, history } = declared
  if (history === undefined || readersOf(declared) === undefined) return undefined
  return { resource: versionName(name), keep: history.keep ?? versionsKept }
}
