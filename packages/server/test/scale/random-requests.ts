/**
 * Random requests from a seed: every declared route, summaries, batches and GraphQL. Ids exist or
 * do not; bodies and filters are good, odd or bad. `{3}` names the third record by order of
 * appearance, so that services with different ids get the same request.
 */

import type { Catalog, ChildRelation, Resource } from '../../src/resource/catalog.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { isTrash } from '../../src/resource/made/shown-resources.ts'
import { apiPrefix } from '../../src/resource/words/api-prefix.ts'
import { kebabOf } from '../../src/resource/words/names.ts'
import { makeBulkRoutes, makeRoutes, makeUpsertRoutes, type Route } from '../../src/rest/route.ts'
import { makeRelated } from './random-relations.ts'
import { makeValues } from './random-values.ts'

export type RandomRequest = {
  readonly method: string
  readonly path: string
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly as: string
  /** The resource that it creates a record of, if any. */
  readonly makes?: string | undefined
}

/** The places of the records of a resource that have been created. */
export type Known = (resource: string) => readonly number[]

/** Places of records stay as they are. */
function inAddress(text: string): string {
  return encodeURIComponent(text).replace(/%7B(\d+)%7D/g, '{$1}')
}

function isNumbered(resource: Resource | undefined): boolean {
  return resource?.fields[resource.idField]?.type.name === 'integerId'
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const words = [
  'Crème', 'BRÛLÉE', 'straße', 'STRASSE', 'Σίσυφος', 'ΣΊΣΥΦΟΣ', '日本語', 'İstanbul', 'ıslık', 'ﬁn', 'e\u0301te', '😀', 'a', 'b', 'Zebra', 'apple',
  'Apple', '100%', 'a_b', 'a\\b', "O'Brien", '"quoted"', 'wi-fi', 'C++', '--', ';', '<b>', '  ', '\t', '\u00a0', '\u200b', 'x'.repeat(60), '%', '_', '\\', '\u0001',
] // biome-ignore format: a list of words
const roles = ['anonymous', 'user', 'user', 'editor', 'editor', 'admin', 'admin', 'admin', 'admin']
const odd = ['', ' ', 'null', 'true', '-1', '0', '1e3', '1.5', '99999999999999999999', '-', ',', '[]', '{', '2026-01-01T00:00:00.000Z', '0000-01-01T00:00:00Z', '%00', '%ff', '%'] // biome-ignore format: a list of odd texts

type RequestOptions = {
  /** Those who ask. */
  readonly callers?: readonly string[]
  /** Whether requests are about this resource. */
  readonly isAbout?: (resource: Resource) => boolean
}

export function makeRequests(
  catalog: Catalog,
  random: () => number,
  { callers = roles, isAbout = () => true }: RequestOptions = {},
) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const chance = (share: number) => random() < share
  const routes = makeRoutes(catalog).filter(
    ({ target }) => !['import'].includes(target.operation) && isAbout(target.resource),
  )
  const ofCollections = [...makeBulkRoutes(catalog), ...makeUpsertRoutes(catalog)].filter(({ target }) =>
    isAbout(target.resource),
  )
  const listed = routes.filter(({ target, steps }) => target.operation === 'list' && steps.length === 0)
  const phrase = () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(words)).join(pick([' ', ' ', '', '\n']))

  /** The id of a record that was created, or one that never exists. */
  function idText(name: string, known: Known): string {
    const found = catalog.resources.get(name)
    const resource = found && isTrash(found) ? (found.traits.made?.of ?? name) : name
    if (isNumbered(catalog.resources.get(resource))) return String(Math.floor(random() * 40))
    const places = known(resource)
    return places.length === 0 || chance(0.05) ? '01926e0f-0000-7000-8000-000000000000' : `{${pick(places)}}`
  }

  function idValue(resource: string, known: Known): unknown {
    const text = idText(resource, known)
    return isNumbered(catalog.resources.get(resource)) ? Number(text) : text
  }

  const { someValue, bodyValue } = makeValues({ pick, chance, random, phrase, idValue })
  const related = makeRelated({ pick, chance, someValue })

  function bodyOf(resource: Resource, operation: string, known: Known): string {
    if (chance(0.03))
      return pick(['', '{', '[]', 'null', '{"a":1}', '{"__proto__":{"a":1}}', '{"name":"a","name":"b"}'])
    const names = resource.fieldNames.filter((name) => {
      const { setBy, required } = resource.fields[name] as Field
      if (setBy) return chance(0.01)
      return required && operation !== 'update' ? chance(0.98) : chance(resource.fieldNames.length > 20 ? 0.25 : 0.5)
    })
    const values = names.map((name) => [name, bodyValue(resource, name, { operation, known })])
    return JSON.stringify(Object.fromEntries([...values, ...childrenOf(resource, operation, known)]))
  }

  /** Children in the body, where it may have them. */
  function childrenOf(resource: Resource, operation: string, known: Known): [string, unknown][] {
    return resource.nestedNames.flatMap((name): [string, unknown][] => {
      if (chance(0.6)) return []
      const { resource: child, by } = resource.children[name] as ChildRelation
      const body = (kind: string) => {
        const text = bodyOf(child, kind, known)
        const parsed: unknown = text === '' || text === '{' ? {} : JSON.parse(text)
        const { [by]: _, ...rest } =
          typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
        return rest
      }
      const create = Array.from({ length: Math.floor(random() * 4) }, () => body('create'))
      if (operation === 'create' && chance(0.7)) return [[name, create]]
      const update = [{ ...body('update'), [child.idField]: idValue(child.name, known) }]
      const gone = chance(0.3) ? { delete: [idValue(child.name, known)] } : {}
      return [
        [
          name,
          operation === 'create' && chance(0.9) ? { create } : { create, ...(chance(0.4) && { update }), ...gone },
        ],
      ]
    })
  }

  function textOf(whole: Field, known: Known): string {
    if (chance(0.1)) return pick(odd)
    const field = whole.type.name === 'list' ? (whole.type.item as Field) : whole
    const value = someValue(field, known)
    return inAddress((typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed())
  }

  function filterOf(resource: Resource, known: Known): string {
    const name = pick([...resource.list.filterable])
    const field = resource.fields[name] as Field | undefined
    if (!field) return 'nothing=1'
    if (chance(0.2)) return `${name}=${textOf(field, known)}`
    if (resource.branches[name] && chance(0.5)) return `${name}[within]=${textOf(field, known)}`
    const operator = chance(0.9) ? pick(field.type.operators) : pick(['gt', 'contains', 'like'])
    const text =
      operator === 'in' || operator === 'overlaps'
        ? `${textOf(field, known)},${textOf(field, known)}`
        : operator === 'null' || operator === 'empty'
          ? pick(['true', 'false', 'x'])
          : textOf(field, known)
    return `${name}[${operator}]=${text}`
  }

  function queryOf(resource: Resource, known: Known): string {
    const { list } = resource
    const parts: string[] = []
    for (let i = 0; i < 3; i += 1) if (chance(0.35)) parts.push(filterOf(resource, known))
    for (const [name, filter] of Object.entries(list.filters))
      if (chance(0.15)) parts.push(`${name}=${textOf(resource.fields[filter.field] as Field, known)}`)
    if (list.search.length > 0 && chance(0.3)) parts.push(`q=${encodeURIComponent(phrase())}`)
    const sortable = [...list.sortable]
    if (sortable.length > 0 && chance(0.5))
      parts.push(
        `sort=${[chance(0.2) ? related.farPath(resource) : pick(sortable), pick(sortable)]
          .slice(0, 1 + Math.floor(random() * 2))
          .map((name) => (chance(0.5) ? `-${name}` : name))
          .join()}`,
      )
    if (chance(0.3)) parts.push(`limit=${pick(['1', '2', '3', '100', '101', '0', 'x'])}`)
    if (chance(0.2)) parts.push(`page=${pick(['1', '2', '3', '999999', '9007199254740991', '0'])}`)
    if (chance(0.2)) parts.push(`cursor=${pick(['', '{cursor}', '{cursor}', 'x'])}`)
    if (chance(0.1)) parts.push(`fields=${related.fields(resource)}`)
    if (chance(0.2)) parts.push(`filter=${inAddress(JSON.stringify(related.tree(resource, known)))}`)
    if (chance(0.2)) parts.push(`expand=${related.expand(resource)}`)
    return parts.join('&')
  }

  /** Writes to a collection: by a filter, or to the record with a unique value. */
  function toCollection(known: Known, as: string): RandomRequest {
    const { method, path, target, many } = pick(ofCollections)
    const { resource } = target
    const limit = pick(['1', '3', '1000', ''])
    const filter = chance(0.7)
      ? filterOf(resource, known)
      : `filter=${inAddress(JSON.stringify(related.tree(resource, known)))}`
    if (many) {
      const body = method === 'DELETE' ? undefined : bodyOf(resource, 'update', known)
      return { method, path: `${path}?limit=${limit}&${filter}`, body, as }
    }
    return {
      method,
      path: `${path}?on=${pick([...resource.upsert.keys()])}`,
      body: bodyOf(resource, 'create', known),
      as,
    }
  }

  function summaryOf(known: Known, as: string): RandomRequest {
    const route = pick(listed)
    const { resource } = route.target
    const filter = chance(0.4) ? filterOf(resource, known) : ''
    const query = [related.summary(resource), filter].filter((one) => one !== '').join('&')
    return { method: 'GET', path: `${pathOf(route, known)}/summary${query && `?${query}`}`, as }
  }

  /**
   * Whether it would create a record with a counted id. A rolled back create uses up its number on
   * PostgreSQL, and returns it on SQLite.
   */
  const takesNumber = ({ makes }: RandomRequest) => makes !== undefined && isNumbered(catalog.resources.get(makes))

  /** Requests with bodies that are not JSON are left out, since a batch would refuse them. */
  function batchOf(known: Known, as: string): RandomRequest {
    const operations = Array.from({ length: 1 + Math.floor(random() * 3) }, () => single(known, as)).flatMap((one) => {
      if (takesNumber(one)) return []
      try {
        return [{ method: one.method, path: one.path, ...(one.body && { body: JSON.parse(one.body) }) }]
      } catch {
        return []
      }
    })
    return { method: 'POST', path: `${apiPrefix}/batch`, body: JSON.stringify({ operations }), as }
  }

  function special(known: Known, as: string): RandomRequest {
    const { resource } = pick(listed).target
    return pick([
      () => summaryOf(known, as),
      () => summaryOf(known, as),
      () => batchOf(known, as),
      () => ({ method: 'POST', path: '/graphql', body: related.graphql(resource, known), as }),
      () => ({ method: 'POST', path: '/graphql', body: related.graphql(resource, known), as }),
      () => {
        const body = { filter: related.tree(resource, known), expand: related.expand(resource), limit: 5 }
        return { method: 'QUERY', path: `${apiPrefix}${resource.path}`, body: JSON.stringify(body), as }
      },
      () => (ofCollections.length > 0 ? toCollection(known, as) : summaryOf(known, as)),
    ])()
  }

  function pathOf({ path, steps, target, key }: Route, known: Known): string {
    if (key) return path.replace(/:\w+/, () => textOf(target.resource.fields[key] as Field, known))
    return path.replace(/:(\w+)/g, (_, parameter) => {
      const { resource } = steps.find((step) => step.parameter === parameter) ?? target
      return idText(resource.name, known)
    })
  }

  function request(known: Known): RandomRequest {
    const as = pick(callers)
    if (chance(0.2)) return special(known, as)
    const one = single(known, as)
    const isWrite = one.method !== 'GET' && one.method !== 'OPTIONS' && !takesNumber(one)
    return isWrite && chance(0.03) ? { ...one, headers: { prefer: 'dry-run' }, makes: undefined } : one
  }

  function single(known: Known, as: string): RandomRequest {
    if (chance(0.02))
      return {
        method: pick(['GET', 'POST', 'PUT', 'OPTIONS']),
        path: pick(['/', '/nothing', '/shelves/', '/shelves/x', `${apiPrefix}/shelves`, '/%zz']),
        as,
      }
    // Requests that create records are more frequent than those that delete them.
    let route = pick(routes)
    if (route.method === 'DELETE') route = pick(routes)
    if (chance(0.25)) route = pick(routes.filter(({ target }) => target.operation === 'create'))
    const { resource, operation } = route.target
    const path = pathOf(route, known)
    if (route.method === 'GET') {
      const shows = operation === 'get' && chance(0.3) ? `expand=${related.expand(resource)}` : ''
      const own = operation === 'get' ? shows : queryOf(resource, known)
      const query = route.trash && chance(0.2) ? [...(own ? [own] : []), '_trash=only'].join('&') : own
      return { method: 'GET', path: query ? `${path}?${query}` : path, as }
    }
    const ends = route.method === 'DELETE' && route.trash && chance(0.15)
    if (route.method === 'DELETE') return { method: 'DELETE', path: ends ? `${path}?_trash=skip` : path, as }
    if (operation === 'revert') {
      const body = JSON.stringify({ historyVersion: pick([1, 1, 1, 2, 2, 3, 7, chance(0.2) ? 'x' : 1]) })
      return { method: 'POST', path, body, as }
    }
    const acts = resource.actionNames.some((name) => path.endsWith(`/${kebabOf(name)}`))
    const makes = operation === 'create' ? resource.name : undefined
    return { method: route.method, path, body: acts ? '{}' : bodyOf(resource, operation, known), as, makes }
  }

  /** `bodyOf`: the body of a write alone. */
  return Object.assign(request, { bodyOf, tree: related.tree })
}
