/** Checks what an endpoint may name, for requests and for declarations. */
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Principal } from '../../resource/principal.ts'
import { webhookEvents } from '../../resource/webhooks/webhook-words.ts'
import type { Values } from '../../storage/storage.ts'
import { followFor } from '../owner-feed.ts'

type EndpointProblem = { readonly field: string; readonly detail: string }

const forms = {
  filters: { words: 'a text, such as "isOpen=true"', isOne: (value: unknown) => typeof value === 'string' },
  recordFields: {
    words: 'a list of names, such as ["title"]',
    isOne: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  },
} as const
const examples = { filters: '{"notes": "isOpen=true"}', recordFields: '{"notes": ["title"]}' } as const

function tableProblem(
  table: unknown,
  {
    member,
    unknownOf,
    known,
  }: { member: keyof typeof forms; unknownOf(names: readonly string[]): string | undefined; known: string },
): EndpointProblem | undefined {
  if (table === undefined || table === null) return undefined
  const problem = (detail: string) => ({ field: member, detail: `${member}${detail}` })
  if (typeof table !== 'object' || Array.isArray(table)) return problem(` is an object: ${examples[member]}`)
  const wrong = unknownOf(Object.keys(table))
  if (wrong !== undefined) return problem(`: no changes of "${wrong.slice(0, 100)}" are told; ${known}`)
  const { words, isOne } = forms[member]
  const bare = Object.entries(table).find(([, value]) => !isOne(value))
  return bare && problem(`: that of ${bare[0]} is ${words}`)
}

function problemOf(told: readonly Resource[], values: Values): { field: string; detail: string } | undefined {
  const { resources, events, filters, recordFields } = values
  const slugs = told.map(({ slug }) => slug)
  const known = `there are ${slugs.join(', ')}`
  const unknownOf = (names: readonly string[]) => names.find((name) => !slugs.includes(name))
  if (Array.isArray(resources)) {
    if (resources.length === 0) return { field: 'resources', detail: 'resources names at least one resource' }
    const wrong = unknownOf(resources as string[])
    if (wrong !== undefined)
      return { field: 'resources', detail: `resources: no changes of "${wrong.slice(0, 100)}" are told; ${known}` }
  }
  if (Array.isArray(events)) {
    const wrong = (events as string[]).find((one) => !(webhookEvents as readonly string[]).includes(one))
    if (wrong !== undefined)
      return { field: 'events', detail: `events: "${wrong.slice(0, 100)}" is none of ${webhookEvents.join(', ')}` }
  }
  return (
    tableProblem(filters, { member: 'filters', unknownOf, known }) ??
    tableProblem(recordFields, { member: 'recordFields', unknownOf, known })
  )
}

type CheckedEngine = Parameters<typeof followFor>[0]

export type CheckedEndpoint = {
  readonly values: Values
  readonly before?: Values | undefined
  readonly caller: Principal
}

/** They say which changes go where: a caller that sets one of these must be able to see them. */
const decisive = ['resources', 'filters', 'recordFields', 'url']

/** Throws what a list with such a filter throws to the caller. */
function checkFollowed(engine: CheckedEngine, told: readonly Resource[], checked: CheckedEndpoint): void {
  const { values, before, caller } = checked
  const { resources, filters, recordFields } = { ...before, ...values }
  if (decisive.every((one) => values[one] === undefined)) return
  for (const resource of told.filter(({ slug }) => (resources as readonly string[]).includes(slug))) {
    const { slug, idField } = resource
    const filter = (filters as Readonly<Record<string, string>> | null | undefined)?.[slug]
    const shown = followFor(engine, caller, { resource, filter }).seenBy(caller).shown
    const chosen = (recordFields as Readonly<Record<string, readonly string[]>> | null | undefined)?.[slug] ?? []
    const wrong = chosen.find((one) => one !== idField && !shown.has(one))
    if (wrong === undefined) continue
    const there = [...shown.keys()].filter((one) => one !== idField).join(', ')
    const detail = `recordFields: no changes of "${wrong.slice(0, 100)}" of ${slug} are told; there are ${there}`
    throw new ApiError('bad-request', detail, { mistakes: [{ field: 'recordFields', detail }] })
  }
}

/** Throws `bad-request` with the first mistake. `told`: the resources whose changes can be told. */
export function checkEndpoint(engine: CheckedEngine, told: readonly Resource[], checked: CheckedEndpoint): void {
  const { values } = checked
  const problem = problemOf(told, values)
  if (problem) throw new ApiError('bad-request', problem.detail, { mistakes: [problem] })
  checkFollowed(engine, told, checked)
}
