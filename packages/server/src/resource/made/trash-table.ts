/**
 * The engine's table of deleted records of a resource with `trash`, and of those that go with them.
 * It has the columns of the resource, and no keys of any kind. So a record in it holds no name, no
 * number and no reference.
 */
import { resolveAccess } from '../access/change-rule.ts'
import { doneByEngine } from '../action.ts'
import { type DeclaredResource, engineMark, engineTraits } from '../define.ts'
import { boolean } from '../fields/boolean.ts'
import type { Field } from '../fields/field.ts'
import { withoutSeries } from '../fields/field-facts.ts'
import { text } from '../fields/text.ts'
import { timestamp } from '../fields/times/timestamp.ts'
import type { ListDeclaration } from '../list-declaration.ts'
import type { Rule } from '../rule.ts'
import { allOf } from '../rules/all-of.ts'
import { where } from '../rules/where/where.ts'
import { tenantFieldOf } from '../tenancy/tenant-path.ts'
import { noTraits } from '../traits.ts'
import { pluralOf } from '../words/names.ts'
import { trashFields, trashName } from './declared-trash.ts'

/** The engine brings a record back by this action, which has no code of its own. */
export const restoreTrashed = (): never => doneByEngine()

/** The mark of a trash; undefined for any other resource. */
export function trashOf({ [engineTraits]: traits }: DeclaredResource) {
  return traits?.made?.kind === 'trash' ? traits.made : undefined
}

/** Whether a record ends with its secrets, so that no copy of it may stay. */
export function endsForGood(declared: DeclaredResource): boolean {
  return (
    declared[engineMark] !== undefined ||
    declared.identity !== undefined ||
    Object.values(declared.fields).some(({ type }) => type.secret !== undefined)
  )
}

/** Whether records with this reference may be deleted with the record that it names. */
function isCascading({ fields, tenant }: DeclaredResource, name: string): boolean {
  const { virtual, reference } = fields[name] as Field
  if (virtual || !reference || reference.onDelete === 'refuse') return false
  if (tenantFieldOf(tenant) === name) return true
  return reference.onDelete === 'delete' || typeof reference.onDelete === 'object'
}

/**
 * The resources with a trash: those that declare one, and those whose records may go with them.
 * `kept`: resources whose records end for good.
 */
function trashedOf(
  resources: readonly DeclaredResource[],
  isKept: (declared: DeclaredResource) => boolean,
): readonly DeclaredResource[] {
  const found = new Set(resources.filter((one) => one.trash !== undefined && isKept(one)))
  const names = new Set([...found].map(({ name }) => name))
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const one of resources) {
      const goes = Object.keys(one.fields).some(
        (name) => isCascading(one, name) && names.has(one.fields[name]?.reference?.resource as string),
      )
      if (!goes || found.has(one) || !isKept(one)) continue
      found.add(one)
      names.add(one.name)
    }
  }
  return resources.filter((one) => found.has(one))
}

/** A counted field is counted again where its record comes back. */
const isKeptIn = (field: Field | undefined) => field !== undefined && !field.virtual && !field.counted

/** The field with its form and its rule of reading, and nothing that binds or sets a value. */
function trashed({ transitions: _, expires: __, write: ___, ...field }: Field): Field {
  const { type, reference } = field
  return {
    ...field,
    type: withoutSeries(type),
    unique: false,
    immutable: false,
    setBy: 'engine',
    ...(reference && { reference: { ...reference, onDelete: 'keep', touch: false, match: [] } }),
    mistakes: [],
  }
}

function ownFields(): Record<string, Field> {
  const readOnly = true
  return {
    [trashFields.at]: timestamp({ readOnly, description: 'When the record was deleted.' }),
    [trashFields.by]: text({ readOnly, maxLength: 100, description: 'The id of the user who deleted it.' }),
    [trashFields.group]: text({ hidden: true, maxLength: 100 }),
    [trashFields.root]: boolean({ hidden: true }),
  }
}

/** The list of the resource, with the latest deletion first. An index has that order alone. */
function listOf({ list, fields }: DeclaredResource): ListDeclaration {
  const { at, by } = trashFields
  const { style = 'page', sortable = [], search = [] } = list ?? {}
  const filterable = list?.filterable?.filter((name) => isKeptIn(fields[name]))
  const named = Object.entries(list?.filters ?? {}).filter(([, { field }]) => isKeptIn(fields[field]))
  const filters = Object.fromEntries(named)
  const sorted = sortable.filter((name) => isKeptIn(fields[name]))
  const filtered = Object.values(filters).map(({ field }) => field)
  return {
    style,
    filters,
    search,
    ...(style !== 'cursor' && { sortable: [at, ...sorted], defaultSort: `-${at}` }),
    ...(filterable && { filterable: [at, by, ...filterable.filter((name) => !fields[name]?.virtual)] }),
    unindexed: [...new Set([...sorted, ...filtered])],
  }
}

/** The rules of a trash: about the deleted record, as it was. */
function accessOf(declared: DeclaredResource): DeclaredResource['access'] {
  const { restore, purge, get, list, export: exported } = resolveAccess(declared.access).access
  const isRoot = where({ [trashFields.root]: true }) as Rule
  const isSeen = get ?? list
  const within = (rule: Rule) => allOf(isSeen ? [rule, isSeen, isRoot] : [rule, isRoot]) as Rule
  if (!declared.trash || !restore) return {}
  const rule = within(restore)
  return {
    ...{ list: rule, get: rule, restore: rule },
    ...(exported && { export: allOf([exported, rule]) as Rule }),
    ...(purge && { delete: allOf([purge, rule]) as Rule }),
  }
}

/** Its rules come later (`withTrashRules`). */
function trashTable(declared: DeclaredResource): DeclaredResource {
  const { name, fields, tenant, trash, renamedFrom, messages, writtenIn, writtenAt } = declared
  const plural = declared.plural ?? pluralOf(name)
  const stored = Object.entries(fields).filter(([, field]) => isKeptIn(field))
  const by = tenantFieldOf(tenant)
  return {
    name: trashName(name),
    plural: trashName(plural),
    ...(renamedFrom !== undefined && { renamedFrom: [renamedFrom].flat().map(trashName) }),
    description: 'Records that were deleted, and can come back.',
    fields: { ...Object.fromEntries(stored.map(([one, field]) => [one, trashed(field)])), ...ownFields() },
    list: listOf(declared),
    access: {},
    ...(messages?.notFound && { messages: { notFound: messages.notFound } }),
    ...(by !== undefined && { tenant: by }),
    [engineTraits]: {
      ...noTraits,
      made: { kind: 'trash', of: name, plural, ...(trash && { days: trash.days }) },
    },
    writtenIn,
    writtenAt,
  }
}

/**
 * The trashes with the rules of their resources, and the action that brings a record back. The
 * declarations have no mistakes any more.
 */
export function withTrashRules(declarations: readonly DeclaredResource[]): readonly DeclaredResource[] {
  const byName = new Map(declarations.map((one) => [one.name, one]))
  return declarations.map((one) => {
    const of = trashOf(one)?.of
    const access = of === undefined ? {} : accessOf(byName.get(of) as DeclaredResource)
    if (of === undefined || !access.restore) return one
    const restore = { run: restoreTrashed, returns: of, summary: 'Brings the deleted record back.' }
    return { ...one, access, actions: { restore } }
  })
}

/** The resource with the rule of `restore`: that of `delete`, where it declares none. */
function withRestore(declared: DeclaredResource): DeclaredResource {
  const { access, trash } = declared
  const rule = access.restore ?? access.delete ?? access.write
  return trash === undefined || rule === undefined ? declared : { ...declared, access: { ...access, restore: rule } }
}

/** The resources, and the trash of those that have one. */
export function withTrash(
  resources: readonly DeclaredResource[],
  isKept: (declared: DeclaredResource) => boolean,
): readonly DeclaredResource[] {
  const trashed = trashedOf(resources, isKept)
  if (trashed.length === 0) return resources
  const whole = resources.map((one) => (one.trash === undefined ? one : withRestore(one)))
  return [...whole, ...trashed.map((one) => trashTable(withRestore(one)))]
}
