/**
 * Plans the changes to one column between its stored and its declared form: its steps, and the
 * refusals of unsafe changes.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { conversionOf, earlierWords } from '../../resource/fields/field-facts.ts'
import { columnOf, type Limits, type ModelColumn, type ModelTable, nextColumnOf } from '../model/model.ts'
import { isComputedAnew, planRecomputed } from './computed/plan-computed.ts'
import { isCountedAnew, planCounted, planCountedAnew } from './computed/plan-counted.ts'
import { isPlacedAnew, planPlacedAnew } from './places/plan-places.ts'
import { besideRefusal, type ColumnChange, described, placeOf, typeOf } from './plan.ts'
import type { MigrationStep } from './steps.ts'

export function fieldOf(resource: Resource, column: ModelColumn): Field | undefined {
  return column.means && resource.fields[column.means.field]
}

/** Whether the stored values of one have the same meaning as values of the other. */
function meansSame(before: ModelColumn, after: ModelColumn, field: Field | undefined): boolean {
  if (before.type !== after.type || before.counted !== after.counted) return false
  if (!before.means || !after.means || before.means.kind === after.means.kind) return true
  return field?.convert === undefined && field?.type.alsoReads?.includes(before.means.kind) === true
}

function planConversion(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, stored, planning, into } = change
  const field = fieldOf(resource, after)
  const at = placeOf(resource, after)
  const isKey = stored.primaryKey === before.name
  const nameOf = (column: ModelColumn) => (isKey && !column.counted ? column.type : typeOf(column))
  const what = `changes from ${nameOf(before)} to ${nameOf(after)}`
  const kind = before.means?.kind
  if (isKey || !field || !conversionOf(field, { kind, name: after.name })) {
    const shown = field?.type.represent?.(1999, field) ?? 1999
    const written = before.means?.kind === 'money' ? '19.99, stored as 1999 in minor units,' : 'a stored 1999'
    const misread =
      before.type === after.type && before.type === 'integer' ? `: ${written} would be read as ${shown}` : ''
    const advice = isKey
      ? 'an id keeps its kind, because other records and clients know it'
      : 'write what becomes of each stored value: convert: (value) => …'
    return void into.refusals.push(`${at} ${what}${misread}; ${advice}`)
  }
  if (planning.beside) return void into.refusals.push(besideRefusal(at, what))
  const next = nextColumnOf(after.name)
  const { references: _, fill: __, ...bare } = after
  const shadow: ModelColumn = { ...bare, name: next, notNull: false, unfilled: true }
  const known = stored.columns.find(({ name }) => name === next)
  const isKnown = known?.means?.kind === shadow.means?.kind
  if (known && !isKnown) into.shape.push({ kind: 'drop-column', table: resource.table, column: next })
  if (!isKnown) into.shape.push({ kind: 'add-column', table: resource.table, column: shadow })
  into.fillers.push({ column: next, by: 'convert', from: before.name, kind })
  into.anew.add(before.name)
  const column = { ...after, notNull: false }
  into.settle.push({ kind: 'swap-column', table: resource.table, column, from: next, old: before.name, meant: kind })
  if (after.notNull) into.settle.push({ kind: 'require', table: resource.table, column: after.name })
}

function planWords(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, stored, planning, into } = change
  const field = fieldOf(resource, after)
  const words = after.means?.words
  if (!field || !words) return
  const known = before.means?.words
  const earlier = earlierWords(field)
  // Without a stored list of words, rows may have any word: those in `renamedFrom`, and any text if
  // the field was a text.
  const gone = known?.filter((word) => !words.includes(word)) ?? (before.means ? undefined : Object.keys(earlier))
  if (gone?.length === 0) return
  const renamed = Object.keys(earlier).filter((word) => known?.includes(word) ?? true)
  const at = placeOf(resource, after)
  if (planning.beside && known && renamed.some((word) => !known.includes(earlier[word] as string))) {
    const pairs = renamed.map((word) => `${word} to ${earlier[word]}`).join(', ')
    return void into.refusals.push(besideRefusal(at, `renames ${pairs}`))
  }
  if (known === undefined && before.means === undefined && renamed.length === 0) return
  into.checks.push({
    kind: 'only-words',
    table: stored,
    column: before.name,
    words: [...words, ...renamed],
    line: `${at} no longer has the word`,
    advice: `keep it, change those records first, or say what it is now: renamedFrom: { ${gone?.[0] ?? 'OLD'}: '${words[0]}' }`,
  })
  if (renamed.length === 0) return
  const map = Object.fromEntries(renamed.map((word) => [word, earlier[word] as string]))
  into.settle.push({ kind: 'rename-words', table: resource.table, column: after.name, words: map })
}

/** Without a declared limit the limit of the type applies, which may be narrower. */
function isNarrower(was: Limits, is: Limits): boolean {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].some((name) => {
    const [before, after] = [was[name], is[name]]
    if (typeof before !== 'number' || typeof after !== 'number') return before !== after
    return name.startsWith('min') ? after > before : after < before
  })
}

const limitsIn = (limits: Limits) =>
  Object.entries(limits)
    .map(([name, limit]) => `${name} ${limit}`)
    .join(', ') || 'no limits of its own'

function planLimits({ resource, stored, into }: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const [was, is] = [before.means?.limits, after.means?.limits]
  const field = fieldOf(resource, after)
  if (!field || !was || !is || !isNarrower(was, is)) return
  const { name: column } = before
  const line = `${placeOf(resource, after)} has ${limitsIn(is)} from now on, and had ${limitsIn(was)}`
  into.narrowed.push({ kind: 'limits', table: stored, column, name: after.means?.field as string, field, line })
}

/** The stored column of a declared one: under its name, or by the field that it holds. */
function storedAs(table: ModelTable | undefined, name: string): string | undefined {
  const of = table?.columns.filter(({ leaving }) => !leaving) ?? []
  return (of.find((one) => one.name === name) ?? of.find(({ means }) => means && columnOf(means.field) === name))?.name
}

/** A reference whose record must share more fields than before, where both tables have them. */
function planMatch({ resource, stored, into, storedTable }: ColumnChange, before: ModelColumn, after: ModelColumn) {
  const [was, is] = [before.means?.match?.columns ?? [], after.means?.match]
  const target = is && storedTable(is.table)
  const key = target && storedAs(target, is.key)
  if (!target || key === undefined) return
  const pairs = is.columns
    .filter((one) => !was.includes(one))
    .flatMap((one) => {
      const [own, other] = [storedAs(stored, one), storedAs(target, one)]
      return own === undefined || other === undefined ? [] : [{ own, other }]
    })
  if (pairs.length === 0) return
  const shared = pairs.map(({ own }) => own).join(' and ')
  const line = `${placeOf(resource, after)} names from now on only records of ${is.table} with the same ${shared}`
  into.narrowed.push({
    kind: 'match',
    table: stored,
    column: before.name,
    target: { table: target.name, key },
    pairs,
    line,
  })
}

/** Requires that rows have a value where a field becomes required. */
function checkValues({ resource, stored, into }: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const what = before.notNull ? 'is required from now on' : `changes from ${described(before)} to ${described(after)}`
  into.checks.push({
    kind: 'no-nulls',
    table: stored,
    column: before.name,
    blank: after.means?.blank === false ? 'missing' : 'a value',
    line: `${placeOf(resource, after)} ${what}: rows without a value have none to take`,
    advice: 'give those records a value, or write one for them: backfill: (row) => …',
  })
}

/** A column without nulls whose texts may no longer be blank. */
function planNotBlank(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  if (before.means?.blank !== true || after.means?.blank !== false) return
  const { resource, into } = change
  if (fieldOf(resource, after)?.backfill === undefined) checkValues(change, before, after)
  else into.fillers.push({ column: after.name, by: 'backfill' })
}

/** A column that may no longer have nulls. */
export function planRequired(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, planning, into } = change
  const field = fieldOf(resource, after)
  const step: MigrationStep = { kind: 'require', table: resource.table, column: after.name }
  const isKnown = before.means?.required === true
  if (planning.beside && isKnown && !before.unfilled) return void into.later.push(step)
  if (field?.backfill !== undefined) into.fillers.push({ column: after.name, by: 'backfill' })
  else if (!into.fillers.some(({ column }) => column === after.name)) checkValues(change, before, after)
  if (planning.beside) into.later.push(step)
  else into.settle.push(step)
}

/**
 * A rename in two steps, for instances of the version before. A column with the new name takes the
 * values, and triggers keep both the same. A later migration drops the old column.
 */
function planMirrored(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, stored, declared, into } = change
  const table = resource.table
  const known = stored.columns.find(({ name }) => name === after.name)
  if (!known) {
    const { fill: _, ...bare } = after
    into.shape.push({ kind: 'add-column', table, column: { ...bare, notNull: false, unfilled: true } })
  }
  // The old column goes in the step that adds the new one, so that an interruption leaves both or
  // none.
  const keepSame = (from: string, to: string) => {
    into.mirrors.push({ kind: 'mirror-column', table, column: from, to })
    into.mirrors.push({ kind: 'leave-column', table, column: from, heir: to })
    into.later.push({ kind: 'drop-column', table, column: from, heir: to })
    into.mirrored.add(from)
  }
  keepSame(before.name, after.name)
  const [fold, foldAfter] = [`${before.name}_folded`, `${after.name}_folded`]
  if (stored.columns.some(({ name }) => name === fold) && declared.columns.some(({ name }) => name === foldAfter))
    keepSame(fold, foldAfter)
  into.fillers.push({ column: after.name, by: 'copy', from: before.name })
  if (!after.notNull) return
  if (before.notNull || before.leaving) {
    into.settle.push({ kind: 'require', table, column: after.name })
    if (before.means?.blank && after.means?.blank === false) checkValues(change, before, after)
  } else planRequired(change, before, after)
}

/** Another `onDelete`, or a new reference, whose values must then be ids of records. */
function planReference(
  { resource, stored, planning, into, storedTable }: ColumnChange,
  before: ModelColumn,
  after: ModelColumn,
): void {
  const [was, is] = [before.references, after.references]
  if (JSON.stringify(was) === JSON.stringify(is)) return
  const isBound = was !== undefined && was.table === is?.table && was.column === is.column
  const step: MigrationStep = { kind: 'refer', table: resource.table, column: after.name, references: is }
  if (!is || isBound) return void into.settle.push(step)
  const target = storedTable(is.table)
  into.checks.push({
    kind: 'no-orphans',
    table: stored,
    column: before.name,
    target: target && { table: target.name, key: target.primaryKey },
    line: `${placeOf(resource, after)} refers to ${is.table} from now on, and rows have an id of no such record`,
    advice: "bring those records back, or let the rows go of them first: the ids are kept only by onDelete: 'keep'",
  })
  // Instances of the version before leave such ids when they delete the referenced record.
  if (planning.beside) into.later.push(step)
  else into.settle.push(step)
}

/** Whether the engine makes other values, so that nothing is left of those before. */
function planAnew(change: ColumnChange, before: ModelColumn, after: ModelColumn): boolean {
  if (isComputedAnew(before, after)) planRecomputed(change, before, after)
  else if (isPlacedAnew(before, after)) planPlacedAnew(change, before, after)
  else if (isCountedAnew(before, after)) planCountedAnew(change, before, after)
  else return false
  return true
}

/** `before` has its stored name. */
export function planColumn(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, stored, planning, into } = change
  const isRenamed = before.name !== after.name
  if (planAnew(change, before, after)) return
  const isCounted = after.means?.counts !== undefined && before.type === after.type
  if (isCounted && before.means?.counts !== after.means?.counts) planCounted(change, after)
  if (!isCounted && !meansSame(before, after, fieldOf(resource, after)))
    return void planConversion(change, before, after)
  planWords(change, before, after)
  if (!isCounted) planLimits(change, before, after)
  planMatch(change, before, after)
  // A rename that has begun is completed, even if no instance needs it any more.
  if (isRenamed && planning.beside && after.means?.numbers)
    return void into.refusals.push(besideRefusal(placeOf(resource, after), 'has another name, and counts the records'))
  const isBegun = isRenamed && stored.columns.some(({ name }) => name === after.name)
  if (isRenamed && (planning.beside || isBegun)) return void planMirrored(change, before, after)
  planReference(change, before, after)
  if (isRenamed) into.shape.push({ kind: 'rename-column', table: resource.table, column: before.name, to: after.name })
  if (before.notNull && !after.notNull)
    into.shape.push({ kind: 'allow-null', table: resource.table, column: after.name })
  if (isCounted) return
  if (!before.notNull && after.notNull) planRequired(change, before, after)
  else planNotBlank(change, before, after)
}
