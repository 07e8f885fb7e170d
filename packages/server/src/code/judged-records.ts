/**
 * The records of a resource as a caller may read and write them. Each method is a request of that
 * caller: admitted, parsed, permitted and performed as those of REST are.
 */
import { ApiError } from '../errors.ts'
import { checkBody } from '../operation/body.ts'
import { bulkLimits } from '../operation/list-limits.ts'
import { notFound } from '../operation/not-found.ts'
import { parseId } from '../perform/read/find.ts'
import type { ManyResult, RecordResult } from '../perform/result.ts'
import type { Resource } from '../resource/catalog.ts'
import type { RecordsForCaller } from '../resource/code/code-context.ts'
import type { JudgedRecords, ResourceHandle } from '../resource/code/code-records.ts'
import { all, equal } from '../resource/condition.ts'
import type { Fields } from '../resource/fields/field.ts'
import { type AdmittedCode, admitCode, type CodeCaller } from './judged-engine.ts'
import { pathAbove } from './path-above.ts'
import { performAdmitted, reachedBy, shownTo, viewOf } from './perform-admitted.ts'
import { parseWhere } from './read-query.ts'
import { readsFrom } from './record-reads.ts'
import { bodyOf, equalTo } from './stored-input.ts'

async function checkReached(asked: AdmittedCode, id: string): Promise<void> {
  const where = reachedBy(asked)
  if (where.kind === 'true') return
  const { engine, resource, admission } = asked
  const key = parseId(resource, id)
  const found = key !== undefined && (await engine.storage.find(resource, all(equal(resource.idField, key), where)))
  if (!found) throw notFound(resource, admission.target.operation)
}

function readsOf(caller: CodeCaller, resource: Resource): Omit<JudgedRecords, keyof Writes> {
  const admit = (operation: string) => admitCode(caller, { resource, operation })
  async function open() {
    const asked = await admit('list')
    return { asked, view: viewOf(asked), where: reachedBy(asked), shown: shownTo(asked) }
  }
  const reads = readsFrom({ resource, open, toldMistake: (error) => error })
  return {
    ...reads,
    async get(given) {
      const id = String(given)
      const asked = await admit('get')
      const key = parseId(resource, id)
      if (caller.tx && key !== undefined) await caller.tx.lock(resource, equal(resource.idField, key))
      await checkReached(asked, id)
      const result = await performAdmitted(asked, { kind: 'get', id })
      return shownTo(asked)((result as RecordResult).record)
    },
    list: async (values) => reads.find({ filter: equalTo(values) }),
  }
}

type Writes = Pick<JudgedRecords, 'create' | 'update' | 'delete' | 'deleteWhere'>

function writesOf(caller: CodeCaller, resource: Resource): Writes {
  const admit = (operation: string) => admitCode(caller, { resource, operation })
  return {
    async create(values) {
      const under = await pathAbove(caller, resource, values)
      const asked = await admitCode(caller, { resource, operation: 'create', nested: under !== undefined })
      // The path names the record above, as in a request.
      const given = under ? { ...values, [under.by]: undefined } : values
      const body = checkBody({ ...viewOf(asked), kind: 'create', given: under?.by }, bodyOf(resource, given))
      const result = await performAdmitted(asked, { kind: 'create', under, body })
      return shownTo(asked)((result as RecordResult).record)
    },
    async update(given, changes) {
      const id = String(given)
      const asked = await admit('update')
      const body = checkBody({ ...viewOf(asked), kind: 'update' }, bodyOf(resource, changes))
      await checkReached(asked, id)
      const result = await performAdmitted(asked, { kind: 'update', id, body, ifVersion: undefined })
      return shownTo(asked)((result as RecordResult).record)
    },
    async delete(given) {
      const id = String(given)
      const asked = await admit('delete')
      await checkReached(asked, id)
      await performAdmitted(asked, { kind: 'delete', id, ifVersion: undefined, shows: false })
    },
    async deleteWhere(values) {
      const asked = await admit('delete')
      const filter = equalTo(values)
      if (Object.keys(filter).length === 0)
        throw new ApiError('bad-request', 'Name a value: this is for some of the records, not for all')
      const many = { where: all(parseWhere(viewOf(asked), filter), reachedBy(asked)), limit: bulkLimits.recordsMax }
      const operation = { kind: 'delete', id: undefined, many, ifVersion: undefined, shows: false } as const
      return ((await performAdmitted(asked, operation)) as ManyResult).count
    },
  }
}

/** `records(things)`, judged by the rights of the caller. */
export function recordsOfCaller(caller: CodeCaller): RecordsForCaller {
  return (({ name }: ResourceHandle<Fields>): JudgedRecords => {
    const resource = caller.engine.catalog.get(name)
    return { ...readsOf(caller, resource), ...writesOf(caller, resource) }
  }) as RecordsForCaller
}
