/**
 * The differential of judged reads. Code of an action finds, pages, counts, adds and groups by a
 * filter. The same question goes over REST as a list or a summary. Both show the same records and
 * numbers, and refuse with the same status and sentence.
 */
import assert from 'node:assert/strict'
import type { AskOptions, TestService } from 'bindery-server/test'
import { ApiError, factsOfError } from '../../src/errors.ts'
import type { Resource } from '../../src/resource/catalog.ts'
import type { RecordsForCaller } from '../../src/resource/code/code-context.ts'
import { always } from '../../src/resource/condition.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { makeRoutes } from '../../src/rest/route.ts'
import type { Row } from '../../src/storage/storage.ts'
import { representValue } from '../../src/value/represent.ts'
import type { Outcome } from './compare-code.ts'
import { shortOr } from './long.ts'

type Shown = Readonly<Record<string, unknown>>
/** The same filter with stored values, and as JSON has it. */
type Asked = { readonly code: Shown; readonly rest: Shown }
/** The fields of a resource are not known to the compiler here. */
type AnyReads = {
  find(query: Shown): Promise<readonly Shown[]>
  page(query: Shown): Promise<{ readonly records: readonly Shown[]; readonly next: string | null }>
  count(query: Shown): Promise<number>
  groups(query: Shown): Promise<readonly Shown[]>
  sum(field: string, query: Shown): Promise<unknown>
}
type Question = {
  readonly about: string
  code(own: AnyReads): Promise<unknown>
  rest(): Promise<Outcome>
}
type Ask = (
  place: 'action' | 'hook',
  by: AskOptions,
  asked: (records: RecordsForCaller) => Promise<unknown>,
) => Promise<Outcome>

/** One question of so many is asked, another one by each caller. */
const stride = shortOr(11, 1)
const ordered = ['eq', 'ne', 'gte', 'lt'] as const

const pathOf = (path: string, query: Shown) =>
  `${path}?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')}`

function fieldOf(resource: Resource, name: string): Field | undefined {
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined
  return field && !field.virtual && !field.type.secret ? field : undefined
}

/** The fields of a resource among the members, as JSON has them; stored values where `isStored`. */
function shownOf(resource: Resource, record: Shown, isStored: boolean): Shown {
  const entries = Object.entries(record).flatMap(([name, value]) => {
    const field = fieldOf(resource, name)
    return field ? [[name, isStored ? representValue(field, value) : value] as const] : []
  })
  return Object.fromEntries(entries)
}

function filtersOf(resource: Resource, rows: readonly Row[]): Asked[] {
  const same = (filter: Shown): Asked => ({ code: filter, rest: filter })
  const asked: Asked[] = [same({})]
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.virtual) continue
    const json = (value: unknown) => representValue(field, value)
    const values = rows.map((row) => row[name]).filter((value) => value !== null && !Array.isArray(value))
    const [one] = values
    asked.push(same({ [name]: { null: true } }))
    if (one === undefined || field.type.secret || field.type.hasMembers) continue
    for (const operator of ordered)
      asked.push({ code: { [name]: { [operator]: one } }, rest: { [name]: { [operator]: json(one) } } })
    const some = values.slice(0, 2)
    asked.push({ code: { [name]: { in: some } }, rest: { [name]: { in: some.map(json) } } })
    for (const [relation, { kind, by, resource: target }] of Object.entries(resource.relations))
      if (kind === 'reference' && by === name) asked.push(same({ [relation]: { [target.idField]: { eq: one } } }))
  }
  const joined = asked.map(({ code, rest }, i): Asked => {
    const other = asked[(i * 7 + 3) % asked.length] as Asked
    return { code: { or: [code, { not: other.code }] }, rest: { or: [rest, { not: other.rest }] } }
  })
  return [...asked, ...joined]
}

export function makeReadComparison(service: TestService, ask: Ask) {
  const { catalog, storage } = service.service.engine
  const lists = makeRoutes(catalog).filter(
    ({ target, steps, mount, many, isInTrash }) =>
      target.operation === 'list' && steps.length === 0 && mount !== '' && !many && !isInTrash,
  )
  const counts = { compared: 0, allowed: 0, refused: 0, found: 0 }
  let turn = 0

  async function inRest(path: string, by: AskOptions, shown: (body: never) => unknown): Promise<Outcome> {
    const reply = await service.ask('GET', path, by)
    if (reply.status !== 200) return { status: reply.status, error: reply.body.error }
    return { status: 200, shown: shown(reply.body as never) }
  }

  const byId = ({ idField }: Resource, records: readonly Shown[]) =>
    records.toSorted((a, b) => (String(a[idField]) < String(b[idField]) ? -1 : 1))

  function* listQuestions(by: AskOptions, resource: Resource, path: string, filters: readonly Asked[]) {
    for (const { code: filter, rest } of filters) {
      const asked = pathOf(path, { filter: JSON.stringify(rest), limit: 100 })
      yield {
        about: asked,
        code: async (own) =>
          byId(
            resource,
            (await own.find({ filter })).map((one) => shownOf(resource, one, true)),
          ),
        rest: () =>
          inRest(asked, by, ({ data }: { data: Shown[] }) => {
            counts.found += data.length
            return byId(
              resource,
              data.map((one) => shownOf(resource, one, false)),
            )
          }),
      } satisfies Question
      yield {
        about: `count ${asked}`,
        code: (own) => own.count({ filter }),
        rest: () => inRest(asked, by, ({ data }: { data: Shown[] }) => data.length),
      } satisfies Question
    }
  }

  async function walkRest(path: string, by: AskOptions, sort: string): Promise<Outcome> {
    const ids: unknown[] = []
    for (let cursor = ''; ; ) {
      const reply = await service.ask('GET', pathOf(path, { sort, limit: 2, cursor }), by)
      if (reply.status !== 200) return { status: reply.status, error: reply.body.error }
      ids.push(...reply.body.data.map(({ id }: { id: unknown }) => id))
      if (reply.body.meta.nextCursor === null) return { status: 200, shown: ids }
      cursor = reply.body.meta.nextCursor
    }
  }

  async function walkCode(own: AnyReads, { idField }: Resource, sort: string): Promise<readonly unknown[]> {
    const ids: unknown[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const { records, next } = await own.page({ sort, limit: 2, after })
      ids.push(...records.map((one) => one[idField]))
      after = next
    }
    return ids
  }

  function* orderQuestions(by: AskOptions, resource: Resource, path: string): Generator<Question> {
    for (const sort of resource.storedNames.flatMap((name) => [name, `-${name}`]))
      yield {
        about: `${path} by ${sort}`,
        code: (own) => walkCode(own, resource, sort),
        rest: () => walkRest(path, by, sort),
      }
  }

  function groupShown(resource: Resource, group: Shown): Shown {
    const json = (name: string, value: unknown) => {
      const field = fieldOf(resource, name)
      return field ? representValue(field, value) : value
    }
    const entries = Object.entries(group).map(([name, value]) => {
      const isMeasures = !fieldOf(resource, name) && typeof value === 'object' && value !== null
      if (!isMeasures) return [name, json(name, value)]
      return [name, Object.fromEntries(Object.entries(value).map(([one, number]) => [one, json(one, number)]))]
    })
    return Object.fromEntries(entries)
  }

  function* summaryQuestions(by: AskOptions, resource: Resource, path: string, filters: readonly Asked[]) {
    for (const [i, name] of resource.storedNames.entries()) {
      const { code: filter, rest } = filters[i % filters.length] as Asked
      for (const kind of ['by', 'sum', 'average', 'least', 'most']) {
        const asked = pathOf(`${path}/summary`, {
          [kind === 'by' ? 'group' : kind]: name,
          filter: JSON.stringify(rest),
        })
        yield {
          about: asked,
          code: async (own) => (await own.groups({ [kind]: name, filter })).map((one) => groupShown(resource, one)),
          rest: () => inRest(asked, by, ({ data }: { data: unknown }) => data),
        } satisfies Question
        if (kind !== 'sum') continue
        yield {
          about: `the sum alone of ${asked}`,
          code: async (own) => representValue(resource.fields[name] as Field, await own.sum(name, { filter })),
          rest: () => inRest(asked, by, ({ data }: { data: { sum: Shown }[] }) => data[0]?.sum[name]),
        } satisfies Question
      }
    }
  }

  function outcomeOf(result: PromiseSettledResult<unknown>): Outcome {
    if (result.status === 'fulfilled') return { status: 200, shown: result.value }
    if (!(result.reason instanceof ApiError)) throw result.reason
    return { status: factsOfError(result.reason.code).status, error: result.reason.message }
  }

  async function compareAll(caller: string, by: AskOptions, resource: Resource, all: readonly Question[]) {
    turn += 1
    const questions = all.filter((_, i) => i % stride === turn % stride)
    const { shown } = await ask('action', by, async (records) => {
      const own = records(resource as never) as unknown as AnyReads
      const settled: PromiseSettledResult<unknown>[] = []
      for (const { code } of questions) settled.push(...(await Promise.allSettled([code(own)])))
      return settled
    })
    for (const [i, { about, rest }] of questions.entries()) {
      const inRest = await rest()
      counts.compared += 1
      if (inRest.status === 200) counts.allowed += 1
      else counts.refused += 1
      assert.deepEqual(outcomeOf((shown as PromiseSettledResult<unknown>[])[i] as never), inRest, `${caller}: ${about}`)
    }
  }

  return {
    counts,
    async compare(caller: string, by: AskOptions): Promise<void> {
      for (const { target, path, summarizes } of lists) {
        const { resource } = target
        if (summarizes || resource.byEngine || resource.name === 'probe' || resource.single) continue
        const sort = [{ field: resource.idField, descending: false }]
        const rows = await storage.list(resource, { where: always, sort, limit: 3 })
        const filters = filtersOf(resource, rows)
        const hasSummary = lists.some((one) => one.summarizes && one.target.resource === resource)
        await compareAll(caller, by, resource, [
          ...listQuestions(by, resource, path, filters),
          ...(resource.list.style === 'page' ? orderQuestions(by, resource, path) : []),
          ...(hasSummary ? summaryQuestions(by, resource, path, filters) : []),
        ])
      }
    },
  }
}
