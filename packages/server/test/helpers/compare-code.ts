/**
 * The differential of judged records. Code asks by `records.as(caller)` in an action or a hook, and
 * the same request goes over REST as a dry run. Both show the same values, and refuse with the same
 * status and sentence.
 */
import assert from 'node:assert/strict'
import type { AskOptions, TestResponse, TestService } from 'bindery-server/test'
import { ApiError, factsOfError } from '../../src/errors.ts'
import { anyone, choice, type DeclaredResource, defineAction, defineResource, id, text } from '../../src/index.ts'
import type { Resource } from '../../src/resource/catalog.ts'
import type { RecordsForCaller } from '../../src/resource/code/code-context.ts'
import type { JudgedRecords } from '../../src/resource/code/code-records.ts'
import { always, equal } from '../../src/resource/condition.ts'
import { isSettable, takesValues } from '../../src/resource/fields/field-facts.ts'
import { factsOf } from '../../src/resource/operation-kind.ts'
import { makeRoutes, type Route } from '../../src/rest/route.ts'
import type { Row } from '../../src/storage/storage.ts'
import { representRecord, representValue } from '../../src/value/represent.ts'

type Shown = Readonly<Record<string, unknown>>
export type Outcome = { readonly status: number; readonly error?: string; readonly shown?: unknown }
/** Anything that has a place to ask from is given the records of its caller. */
type Question = (records: RecordsForCaller) => Promise<unknown>

let question: Question | undefined
type Given = { readonly answer?: unknown; readonly error?: unknown }
const given: Given[] = []

async function answer(records: RecordsForCaller): Promise<never> {
  try {
    given.push({ answer: await question?.(records) })
  } catch (error) {
    given.push({ error })
  }
  throw new Error('nothing is stored')
}

const fields = { id: id(), place: text() }
const ask = defineAction(fields, {
  input: { place: choice(['action', 'hook'], { required: true }) },
  async run({ record, input, caller, records }) {
    if (input.place === 'action') await answer(records.as(caller))
    await records(probes).update(record.id, { place: 'hook' })
  },
})

/** A resource whose action and hook ask the question as their caller. */
export const probes: DeclaredResource<typeof fields> = defineResource({
  name: 'probe',
  path: '/probes',
  fields,
  access: { create: anyone, ask: anyone, get: anyone },
  actions: { ask },
  hooks: { beforeUpdate: ({ caller, records }) => answer(records.as(caller)) },
})

const secrets = ({ fields }: Resource, name: string) => fields[name]?.type.secret !== undefined

export function makeCodeComparison(service: TestService) {
  const { engine } = service.service
  const { catalog, storage } = engine
  const routes = makeRoutes(catalog).filter(
    ({ mount, isSelf, many, upserts }) => mount !== '' && !isSelf && !many && !upserts,
  )
  const counts = { compared: 0, allowed: 0, refused: 0, hidden: 0 }
  let probe: string | undefined

  async function askedInCode(place: 'action' | 'hook', by: AskOptions, asked: Question): Promise<Outcome> {
    probe ??= (await service.make('probe')).id as string
    question = asked
    given.length = 0
    const reply = await service.ask('POST', `/api/v1/probes/${probe}/ask`, { ...by, body: { place } })
    assert.equal(reply.status, 500, reply.text)
    const { answer: shown, error } = given[0] ?? assert.fail('the question was not asked')
    if (error === undefined) return { status: 200, shown }
    if (!(error instanceof ApiError)) throw error
    return { status: factsOfError(error.code).status, error: error.message }
  }

  async function pathOf(route: Route, row: Row): Promise<string | undefined> {
    const values: Record<string, unknown> = {}
    if (route.idParameter) values[route.idParameter] = row[route.target.resource.idField]
    let above = route.by === undefined ? undefined : row[route.by]
    for (const { resource, parameter, by } of route.steps.toReversed()) {
      if (above === null || above === undefined) return undefined
      if (parameter) values[parameter] = above
      else above = (await storage.find(resource, equal(resource.idField, above as string)))?.row[by as string]
    }
    return route.path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(values[name])))
  }

  type Way = { readonly path: string; readonly by: string | undefined }

  async function wayTo(resource: Resource, row: Row, operation: string): Promise<Way | undefined> {
    const own = routes.filter(
      ({ target, key }) => target.resource === resource && target.operation === operation && !key,
    )
    const direct = own.filter(({ steps }) => steps.length === 0)
    for (const route of direct.length > 0 ? direct : own) {
      const path = await pathOf(route, row)
      if (path !== undefined) return { path, by: route.by }
    }
    return undefined
  }

  /** The stored fields of a record of REST, as code would be given them. */
  function shownOf(resource: Resource, record: Shown): Shown {
    const names = resource.storedNames.filter((name) => Object.hasOwn(record, name) && !secrets(resource, name))
    return Object.fromEntries(names.map((name) => [name, record[name]]))
  }

  const represented = (resource: Resource, record: unknown): Shown =>
    representRecord(resource, Object.keys(record as Shown), record as Shown)

  function outcomeOf(resource: Resource, reply: TestResponse): Outcome {
    assert.ok(reply.status < 500, reply.text)
    if (reply.status >= 400) return { status: reply.status, error: reply.body.error }
    return { status: 200, shown: reply.status === 204 ? undefined : shownOf(resource, reply.body) }
  }

  function same(about: string, inCode: Outcome, inRest: Outcome): void {
    counts.compared += 1
    if (inRest.status === 200) counts.allowed += 1
    else counts.refused += 1
    assert.deepEqual(inCode, inRest, about)
  }

  function valuesOf(resource: Resource, row: Row): Shown {
    const { fields, storedNames, idField } = resource
    const names = storedNames.filter((name) => {
      const field = fields[name]
      return field && name !== idField && isSettable(field, 'create') && takesValues(field) && !secrets(resource, name)
    })
    return Object.fromEntries(names.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]])))
  }

  const jsonOf = ({ fields }: Resource, values: Shown): Shown =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, representValue(fields[name] as never, value)]),
    )

  /** A change of the first text that may be written. */
  function changeOf(resource: Resource): Shown {
    const { fields, storedNames } = resource
    const name = storedNames.find(
      (one) => fields[one]?.type.name === 'text' && isSettable(fields[one] as never, 'update'),
    )
    return name === undefined ? {} : { [name]: 'another' }
  }

  type CodeRequest = {
    readonly operation: string
    readonly body?: Shown
    readonly code: (own: JudgedRecords) => Promise<unknown>
  }

  function questionsAbout(resource: Resource, row: Row): readonly CodeRequest[] {
    const key = row[resource.idField] as string
    const change = changeOf(resource)
    const values = valuesOf(resource, row)
    const above = Object.fromEntries(resource.parents.map(({ link }) => [link.by, row[link.by]]))
    return [
      { operation: 'get', code: (own) => own.get(key) },
      { operation: 'update', body: jsonOf(resource, change), code: (own) => own.update(key, change) },
      { operation: 'delete', code: (own) => own.delete(key) },
      {
        operation: 'create',
        body: jsonOf(resource, values),
        code: (own) => own.create({ ...values, ...above } as never),
      },
    ]
  }

  async function compareRecord(caller: string, by: AskOptions, { resource, row }: { resource: Resource; row: Row }) {
    for (const [i, { operation, body, code }] of questionsAbout(resource, row).entries()) {
      const way = await wayTo(resource, row, operation)
      if (!way) continue
      const { path, by: parent } = way
      if (operation === 'delete' && resource.traits.removal) continue
      const { method } = factsOf(operation)
      const headers = { ...by.headers, ...(method !== 'GET' && { prefer: 'dry-run' }) }
      const inRest = outcomeOf(resource, await service.ask(method, path, { ...by, headers, ...(body && { body }) }))
      const place = i % 2 === 0 ? 'action' : 'hook'
      const asked = await askedInCode(place, by, (records) => code(records(resource as never)))
      const shown = asked.shown === undefined ? undefined : represented(resource, asked.shown)
      const about = `${caller}: ${operation} ${path} ${JSON.stringify(body)} in ${place}`
      if (shown && Object.keys(shown).length < resource.storedNames.length) counts.hidden += 1
      // A create and a change have new ids and times.
      const isSame = operation === 'get' || asked.status !== 200
      const plain = ({ status, error }: Outcome): Outcome => ({
        status,
        ...(error !== undefined && parent === undefined && { error }),
      })
      if (asked.status === 200 && operation === 'get') same(about, { ...asked, shown }, inRest)
      else if (isSame && parent === undefined) same(about, shown ? { ...asked, shown } : asked, inRest)
      else same(about, plain(asked), plain(inRest))
      if (shown && operation !== 'get')
        assert.deepEqual(Object.keys(shown).toSorted(), Object.keys(inRest.shown as Shown).toSorted(), about)
    }
  }

  async function compareList(caller: string, by: AskOptions, resource: Resource): Promise<void> {
    const route = routes.find(
      ({ target, steps, summarizes }) =>
        target.resource === resource && target.operation === 'list' && steps.length === 0 && !summarizes,
    )
    if (!route || resource.single) return
    const reply = await service.ask('GET', `${route.path}?limit=100`, by)
    const asked = await askedInCode('action', by, (records) => records(resource as never).list({}))
    const sorted = (records: readonly Shown[]) =>
      records.toSorted((a, b) => (String(a[resource.idField]) < String(b[resource.idField]) ? -1 : 1))
    const inRest =
      reply.status === 200 ? sorted(reply.body.data.map((one: Shown) => shownOf(resource, one))) : undefined
    const inCode = asked.shown && sorted((asked.shown as Shown[]).map((one) => represented(resource, one)))
    const refusal = reply.status === 200 ? {} : { error: reply.body.error }
    same(
      `${caller}: list ${route.path}`,
      { ...asked, ...(inCode ? { shown: inCode } : {}) },
      { status: reply.status, ...refusal, ...(inRest && { shown: inRest }) },
    )
  }

  return {
    counts,
    askedInCode,
    async compare(caller: string, by: AskOptions, perResource = 3): Promise<void> {
      for (const resource of catalog.resources.values()) {
        if (resource.name === 'probe' || resource.byEngine) continue
        await compareList(caller, by, resource)
        const sort = [{ field: resource.idField, descending: false }]
        const rows = await storage.list(resource, { where: always, sort, limit: perResource })
        for (const row of rows) await compareRecord(caller, by, { resource, row })
      }
    },
  }
}
