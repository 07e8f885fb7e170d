/**
 * Inserts new records: fills in the id, times, defaults and values that follow from others, and
 * touches the parent records.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import type { Row, Values } from '../storage/storage.ts'
import { countNumbers } from './counts/count-numbers.ts'
import { noteCounted } from './counts/counted-fields.ts'
import { initialValue } from './initial-value.ts'
import { judgeResult, noteForRejudging } from './judge-result.ts'
import { type PartedValues, partLinks } from './links/part-links.ts'
import { checkLinks, storeLinks } from './links/store-links.ts'
import { insertingSlugs, makeSlugs, settleSlugs } from './make-slugs.ts'
import { checkPlace, keyOfNew, partPlace, placeLast } from './places/place-records.ts'
import { PreparedRecord } from './prepared-record.ts'
import { checkBranch } from './references/check-branch.ts'
import { checkJudgedReferences } from './references/judged.ts'
import { settleTenant } from './references/tenant-of-record.ts'
import { runBeforeCreate } from './run-stages.ts'
import { applyComputed, applyOnWrite, checkDraft, checkNames, checkReferences, existsKey } from './stored-values.ts'
import { touchParents } from './touch-parents.ts'
import type { WriteContext } from './write-context.ts'

export function prepareRecord(context: WriteContext, resource: Resource, values: Values): Promise<PreparedRecord> {
  return prepareParted(context, resource, partLinks(resource, values))
}

async function prepareParted(
  context: WriteContext,
  resource: Resource,
  { values: sent, links }: PartedValues,
): Promise<PreparedRecord> {
  checkNames(resource, sent)
  const { values, place } = partPlace(resource, sent)
  const draft: Record<string, unknown> = {}
  for (const name of resource.storedNames) {
    draft[name] = values[name] === undefined ? initialValue(context, resource.fields[name] as Field) : values[name]
  }
  if (!resource.hasCountedId) draft[resource.idField] ??= context.makeId()
  let given = values
  if (context.stagesOf(resource).beforeCreate.length > 0) {
    given = await runBeforeCreate(context, { resource, sent: values, values: draft })
    Object.assign(draft, given)
  }
  applyOnWrite(resource, draft)
  const made = resource.slugNames.length > 0 ? makeSlugs(resource, draft) : []
  if (resource.scope) await settleTenant(context, resource, draft)
  if (resource.scope) applyComputed(resource, draft)
  await checkJudgedReferences(context, { resource, row: draft })
  await judgeResult(context, { resource, row: draft })
  await checkReferences(context, { resource, row: draft })
  if (resource.tree) await checkBranch(context, { resource, row: draft })
  await checkLinks(context, { resource, row: draft }, links)
  await checkPlace(context, { resource, row: draft, place })
  checkDraft(resource, draft, given)
  for (const settled of context.stagesOf(resource).settled)
    await settled({ tx: context.tx, resource, before: undefined, row: draft })
  return new PreparedRecord(resource, draft, { made, links, place })
}

export async function insertPrepared(context: WriteContext, record: PreparedRecord, reason?: string): Promise<Row> {
  const { resource, made, links, place } = record
  const [values] = made.length > 0 ? await settleSlugs(context, resource, [record]) : [record.values]
  const isCounted = resource.numberedNames.length > 0
  let [whole] = isCounted ? await countNumbers(context, resource, [values as Values]) : [values]
  if (resource.placed) {
    const key = await keyOfNew(context, { resource, row: whole as Values, place })
    whole = { ...(whole as Values), [resource.placed.name]: key }
  }
  const insert = () => context.transaction.insert(resource, whole as Values)
  const row = made.length > 0 ? await insertingSlugs([record], insert) : await insert()
  context.seen.add(existsKey(resource, row[resource.idField]))
  await storeLinks(context, { resource, row }, links)
  noteForRejudging(context, resource, { row })
  if (resource.countedIn.length > 0) noteCounted(context, resource, [{ after: row }])
  await touchParents(context, { resource, rows: [row] })
  for (const after of context.stagesOf(resource).afterCreate)
    await after({ tx: context.tx, resource, rows: [row], reason })
  return row
}

export async function storePrepared(context: WriteContext, records: readonly PreparedRecord[]): Promise<void> {
  for (const [resource, group] of Map.groupBy(records, (record) => record.resource)) {
    const { afterCreate } = context.stagesOf(resource)
    // A step, and a rule that is asked again, know them by the ids that the database gives. A place
    // may name a record before it.
    if (
      context.result?.resource === resource ||
      group.some(({ place }) => place !== undefined) ||
      (resource.hasCountedId && (afterCreate.length > 0 || resource.linkNames.length > 0))
    ) {
      for (const record of group) await insertPrepared(context, record)
      continue
    }
    const given = await settleSlugs(context, resource, group)
    const rows = await placeLast(context, resource, await countNumbers(context, resource, given))
    await insertingSlugs(group, () => context.transaction.insertAll(resource, rows))
    noteCounted(
      context,
      resource,
      rows.map((after) => ({ after })),
    )
    for (const [i, { links }] of group.entries()) await storeLinks(context, { resource, row: rows[i] as Values }, links)
    await touchParents(context, { resource, rows })
    for (const after of afterCreate) await after({ tx: context.tx, resource, rows })
  }
}
