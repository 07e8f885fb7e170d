/** The action `revert`: an update of a record with the values of one of its versions. */
import { notFound } from '../../operation/not-found.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isSettable } from '../../resource/fields/field-facts.ts'
import { historyFields as names } from '../../resource/made/declared-history.ts'
import { revert } from '../../resource/made/revert-action.ts'
import type { EngineAction, EngineActions } from '../requested-write.ts'
import { linksToRevert } from './version-links.ts'

const work: EngineAction['work'] = async ({ tx, requested, record, input, change }) => {
  const { resource } = requested
  const versions = tx.catalog.get(resource.history?.resource as string)
  const of = equal(names.of, record[resource.idField] as Scalar)
  const found = await tx.find(versions, all(equal(names.version, input[names.version] as Scalar), of))
  if (!found) throw notFound(versions, 'get')
  const settable = versions.storedNames.filter((name) => {
    const field = resource.fields[name] as Field | undefined
    if (field === undefined || !isSettable(field, 'update')) return false
    // A field that is newer than the version has no value there.
    return field.nullable || found.row[name] !== null
  })
  const values = Object.fromEntries(settable.map((name) => [name, found.row[name]]))
  const links = await linksToRevert(tx, record, { resource, versions, version: found.row })
  return { record: await change({ ...values, ...links }) }
}

/** Empty where no resource has a history. */
export function revertActions({ resources }: Catalog): EngineActions {
  const isKept = [...resources.values()].some(({ history }) => history)
  return new Map(isKept ? [[revert.run as unknown, { work }]] : [])
}
