/**
 * The doctor's findings about webhooks: endpoints that are switched off or fail, and deliveries
 * that were given up or that no server sends.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { findWebhooks } from '../../resource/webhooks/find-webhooks.ts'
import { dueBefore, failingBefore, givenUpSince, switchedOffSince } from '../../resource/webhooks/webhook-troubles.ts'
import type { Findings } from '../finding.ts'
import type { Reader, Row } from '../storage.ts'

const hourMs = 60 * 60_000
/** Owners may leave an endpoint that is off; it is told for a week. */
const offMs = 7 * 24 * hourMs
const givenUpMs = 24 * hourMs
/** A server that is well sends a delivery within seconds. */
const dueMs = 10 * 60_000
/** So many endpoints are told one by one. */
const toldMax = 5
const rowsMax = 1_000

export type WebhookInspection = {
  readonly reader: Pick<Reader, 'list'>
  readonly catalog: Catalog
  readonly nowMs: number
  /** The tables that statements can read; absent for all. */
  readonly whole?: readonly { readonly name: string }[]
}

type Trouble = { readonly where: string; readonly what: string; readonly todo: string }

const hostOf = (url: unknown) => (URL.canParse(String(url)) ? new URL(String(url)).host : 'no host')
const mend = 'Mend the receiver, or what is between'

function endpointTrouble({ id, url }: Row, what: string, todo: string): Trouble {
  return { where: `the endpoint ${id} at ${hostOf(url)}`, what, todo }
}

/** One for each endpoint, with the number of its deliveries. */
function deliveryTroubles(rows: readonly Row[], say: (id: string, counted: string) => Omit<Trouble, 'where'>) {
  return [...Map.groupBy(rows, ({ endpointId }) => String(endpointId))].map(([id, { length }]) => {
    const counted = `${length}${rows.length === rowsMax ? ' or more' : ''} ${length === 1 ? 'delivery' : 'deliveries'}`
    return { where: `the endpoint ${id}`, ...say(id, counted) }
  })
}

function tell({ about }: Findings, troubles: readonly Trouble[], what: string): void {
  for (const one of troubles.slice(0, toldMax)) about('webhooks', one.where).warn(one.what, one.todo)
  const more = troubles.length - toldMax
  if (more > 0)
    about('webhooks', `${more} more ${more === 1 ? 'endpoint' : 'endpoints'}`).warn(what, 'bindery webhooks list')
}

/** Nothing in an application without webhooks. */
export async function inspectWebhooks(
  findings: Findings,
  { reader, catalog, nowMs, whole }: WebhookInspection,
): Promise<void> {
  const tables = findWebhooks(catalog)
  if (!tables) return
  const isRead = ({ table }: Resource) => !whole || whole.some(({ name }) => name === table)
  if (![tables.endpoints, tables.deliveries].every(isRead)) return
  const sort = [{ field: 'id', descending: true }]
  const rows = (resource: Resource, where: Condition) =>
    reader.list(resource, { where, sort, limit: rowsMax, after: null })

  const off = (await rows(tables.endpoints, switchedOffSince(nowMs - offMs))).map((row) =>
    endpointTrouble(
      row,
      `the server has switched it off at ${row.disabledAt}: ${row.disabledReason}`,
      `${mend}; then set "active": true of its record. It goes on where it was`,
    ),
  )
  tell(findings, off, 'the server has switched them off, too')

  const failing = (await rows(tables.endpoints, failingBefore(nowMs - hourMs))).map((row) =>
    endpointTrouble(
      row,
      `no delivery has arrived since ${row.failingSince}`,
      `${mend}: its attempts say how it fails, at /webhook-attempts?endpointId=${row.id}`,
    ),
  )
  tell(findings, failing, 'they fail, too')

  const sinceMs = nowMs - givenUpMs
  const since = new Date(sinceMs).toISOString()
  const givenUp = deliveryTroubles(await rows(tables.deliveries, givenUpSince(sinceMs)), (id, counted) => ({
    what: `${counted} given up since ${since}`,
    todo: `See them: bindery webhooks list --endpoint ${id} --failed; then send them again: bindery webhooks replay --endpoint ${id} --since ${since} --failed`,
  }))
  tell(findings, givenUp, 'deliveries to them were given up, too')

  const due = await rows(tables.deliveries, dueBefore(tables, nowMs - dueMs))
  const waiting = deliveryTroubles(due, (_, counted) => ({
    what: `${counted} due for more than ${dueMs / 60_000} minutes`,
    todo: 'Start a server, which sends them. Where one runs, its log says why it does not: A webhook endpoint',
  }))
  tell(findings, waiting, 'deliveries to them wait, too')
}
