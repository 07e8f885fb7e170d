/**
 * Compares two versions of a record as the caller sees them. Values that the caller may not read
 * are in neither. Links name the records that the caller may get.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import type { DifferenceOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal } from '../../resource/condition.ts'
import { historyFields as own, ownVersionNames } from '../../resource/made/declared-history.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Row } from '../../storage/storage.ts'
import { representRecord } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import type { DifferenceResult } from '../result.ts'
import { resolveUnder } from './find.ts'
import { withVirtualFields } from './related.ts'

const newestFirst = [{ field: own.version, descending: true }]

function recordOf({ resources }: Catalog, { traits }: Resource): Resource {
  const { made } = traits
  const of = made?.kind === 'history' ? resources.get(made.of) : undefined
  if (!of) throw new Error('only versions have differences')
  return of
}

/** The fields of the record that a difference names: not the time that each write sets. */
function comparedNames(record: Resource, visible: ReadonlySet<string>): readonly string[] {
  return record.fieldNames.filter((name) => visible.has(name) && record.fields[name]?.setBy !== 'write')
}

function notKept(record: Resource, version: number): ApiError {
  const label = inSentence(record.label)
  return new ApiError('not-found', `Version ${version} of this ${label} is not kept; its history lists those that are`)
}

/** Throws `not-found` for a version that is gone, or that the caller may not get. */
export async function performDifference(
  engine: Engine,
  permitted: Permitted<DifferenceOperation>,
): Promise<DifferenceResult> {
  const { storage, catalog } = engine
  const { operation, principal, read, steps, visible } = permitted
  const { resource, under, from, to } = operation
  const record = recordOf(catalog, resource)
  if (!under) throw new Error('a difference needs its record')
  const above = (await resolveUnder(storage, under, steps)).condition
  const find = async (where: Condition[]) =>
    (await storage.list(resource, { where: all(above, ...where, read), sort: newestFirst, limit: 1 }))[0]
  const older = await find([equal(own.version, from)])
  if (!older) throw notKept(record, from)
  const newer = await find(to === undefined ? [] : [equal(own.version, to)])
  if (!newer) throw notKept(record, to ?? from)
  const loading = { engine, reader: storage, principal }
  const rows = await withVirtualFields(loading, { resource, rows: [older, newer], names: [...visible] })
  const [before, after] = rows as readonly [Row, Row]
  const names = comparedNames(record, visible)
  const [left, right] = [representRecord(resource, names, before), representRecord(resource, names, after)]
  const fields = names.filter((name) => !isDeepStrictEqual(left[name], right[name]))
  return { kind: 'difference', resource, fields, from: before, to: after }
}

/** The fields of each version in a response: its own, and those that differ. */
export function namesOfDifference({ fields }: DifferenceResult, visible: ReadonlySet<string>): readonly string[] {
  return [...ownVersionNames.filter((name) => visible.has(name)), ...fields]
}
