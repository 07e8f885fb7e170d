/** The files of each field by their states, and those that no record has, for operators. */
import type { EdgeEngine } from '../http/edge-engine.ts'
import { always, type Condition, isNull, not } from '../resource/condition.ts'
import { fileFields as names } from '../resource/made/file-table.ts'
import type { Row } from '../storage/storage.ts'
import { pageSize } from './operate-words.ts'

const groupsMax = 500

/** Files without a record have a time. */
const loose: Condition = not(isNull(names.dueAt))

const shownNames = [
  names.id,
  names.state,
  names.name,
  names.size,
  names.received,
  names.resource,
  names.field,
  names.owner,
  names.dueAt,
] as const

const looseFile = (row: Row) => Object.fromEntries(shownNames.map((name) => [name, row[name]]))

export async function readFileGroups({ catalog: { files }, storage }: Pick<EdgeEngine, 'catalog' | 'storage'>) {
  if (!files) return {}
  const groups = [names.resource, names.field, names.state].map((field) => ({ field, unit: undefined }))
  const rows = await storage.summarize(files, {
    where: always,
    groups,
    sums: [names.size],
    ends: [],
    limit: groupsMax,
  })
  const sort = [{ field: names.dueAt, descending: false }]
  return {
    groups: rows.map(({ group: [resource, field, state], count, sums }) => {
      return { resource, field, state, files: count, bytes: Number(sums.get(names.size)?.sum ?? 0) }
    }),
    loose: (await storage.list(files, { where: loose, sort, limit: pageSize, after: null })).map(looseFile),
    looseCount: await storage.count(files, loose),
  }
}
