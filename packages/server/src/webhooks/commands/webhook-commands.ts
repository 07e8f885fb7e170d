/**
 * The commands `bindery webhooks list|ping|replay|listen`. They work on the database, also while a
 * server runs: the server sends what they leave.
 */
import { findRecord, listRecords } from '../../command/console-records.ts'
import { type Command, type Console, defineCommand } from '../../command/define-command.ts'
import { makeTable } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import { ApiError, StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal } from '../../resource/condition.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import { findWebhooks, type WebhookCatalog } from '../../resource/webhooks/find-webhooks.ts'
import type { Row } from '../../storage/storage.ts'

/** Throws `StartError` in an application without webhooks. */
export function webhooksOf({ catalog }: Engine): WebhookCatalog {
  const found = findWebhooks(catalog)
  if (!found) throw new StartError('This application has no webhooks: ...webhooks({ … }) in its list declares them')
  return found
}

const shownOfEndpoints = ['id', 'url', 'resources', 'active', 'failingSince', 'disabledReason']
const shownOfDeliveries = ['id', 'event', 'recordId', 'state', 'tries', 'status', 'nextAt']

type ListOptions = { readonly endpoint?: string; readonly failed?: boolean }

async function printList(
  cli: Console,
  engine: Engine,
  asked: { resource: Resource; where: Condition; names: string[] },
) {
  const table = makeTable(asked.names)
  let count = 0
  for await (const records of listRecords(engine, asked.resource, asked.where)) {
    const rows = records.map((one) => Object.fromEntries(asked.names.map((name) => [name, one[name]])))
    if (cli.output.json) await cli.output.write(records.map((one) => `${JSON.stringify(one)}\n`).join(''))
    else await cli.output.write(table.print(rows, { header: count === 0 }))
    count += rows.length
  }
  return count
}

async function list(cli: Console, { endpoint, failed = false }: ListOptions): Promise<void> {
  if (failed && endpoint === undefined) throw new UsageError('--failed needs --endpoint')
  await cli.withEngine(async (engine) => {
    const { endpoints, deliveries } = webhooksOf(engine)
    const of = endpoint?.toLowerCase()
    const where = all(equal('endpointId', of ?? ''), ...(failed ? [equal('state', 'failed')] : []))
    const asked =
      of === undefined
        ? { resource: endpoints, where: all(), names: shownOfEndpoints }
        : { resource: deliveries, where, names: shownOfDeliveries }
    const count = await printList(cli, engine, asked)
    const [one, many] = of === undefined ? ['endpoint', 'endpoints'] : ['delivery', 'deliveries']
    cli.output.note(`${count} ${count === 1 ? one : many}`)
  })
}

/** Work on the locked row of a record, in the name of the operator. Throws `not-found`. */
async function withRow<T>(
  engine: Engine,
  { resource, id }: { readonly resource: Resource; readonly id: string },
  work: (tx: RecordTransaction, row: Row) => Promise<T>,
): Promise<T> {
  const { authorOf } = await import('../../record/author.ts')
  return engine.records.transaction(authorOf(consolePrincipal(engine.catalog)), async (tx) => {
    const found = await tx.lock(resource, equal('id', id.toLowerCase()))
    if (!found) throw new ApiError('not-found', `${resource.label} ${id} not found`)
    return work(tx, found.row)
  })
}

const sentSoon = 'a running server sends it within seconds'

async function ping(cli: Console, id: string): Promise<void> {
  const delivery = await cli.withEngine(async (engine) => {
    const tables = webhooksOf(engine)
    const { pingOne } = await import('../endpoints/endpoint-actions.ts')
    const made = await withRow(engine, { resource: tables.endpoints, id }, (tx, row) => pingOne(tx, tables, row))
    return findRecord(engine, tables.deliveries, equal('id', String(made.id)))
  })
  if (cli.output.json) return cli.output.value(delivery)
  await cli.output.write(`${delivery?.id}\n`)
  cli.output.note(`A test waits for the endpoint: ${sentSoon}.`)
}

type ReplayOptions = {
  readonly endpoint?: string
  readonly since?: string
  readonly until?: string
  readonly failed?: boolean
}

/** Throws `UsageError`. */
function timeOf(flag: string, text: string): string {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new UsageError(`${flag} must be a time such as 2027-01-31T12:00:00Z`)
  return new Date(ms).toISOString()
}

async function replay(cli: Console, id: string | undefined, asked: ReplayOptions): Promise<void> {
  const { endpoint, since, until, failed = false } = asked
  if ((id === undefined) === (endpoint === undefined))
    throw new UsageError('say which: the id of a delivery, or --endpoint with --since')
  if (endpoint !== undefined && since === undefined) throw new UsageError('--endpoint needs --since')
  const count = await cli.withEngine(async (engine) => {
    const tables = webhooksOf(engine)
    const { replayOne, replayRange } = await import('../endpoints/endpoint-actions.ts')
    if (id !== undefined) {
      await withRow(engine, { resource: tables.deliveries, id }, (tx, row) => replayOne(tx, tables, row))
      return 1
    }
    const range = {
      since: timeOf('--since', since as string),
      until: until === undefined ? undefined : timeOf('--until', until),
      onlyFailed: failed,
    }
    const found = { resource: tables.endpoints, id: endpoint as string }
    return withRow(engine, found, (tx, row) => replayRange(tx, tables, { endpoint: row, ...range }))
  })
  if (cli.output.json) return cli.output.value({ count })
  cli.output.note(count === 1 ? `One delivery waits again: ${sentSoon}.` : `${count} deliveries wait again.`)
}

const listEndpoints = defineCommand({
  name: 'list',
  about: 'list endpoints, or the deliveries of one',
  options: {
    endpoint: { flag: '--endpoint <id>', about: 'the deliveries of this endpoint' },
    failed: { flag: '--failed', about: 'of these, those that were given up' },
  },
  examples: ['bindery webhooks list', 'bindery webhooks list --endpoint 0197a4c2-7f00-7000-8000-000000000001 --failed'],
  run: ({ options }, cli) => list(cli, options),
})

const pingOneEndpoint = defineCommand({
  name: 'ping',
  about: 'send a test to an endpoint',
  argument: { name: '<endpoint-id>' },
  run: ({ argument }, cli) => ping(cli, argument),
})

const replayDeliveries = defineCommand({
  name: 'replay',
  about: 'send a delivery again, or those of an endpoint in a range',
  argument: { name: '[delivery-id]' },
  options: {
    endpoint: { flag: '--endpoint <id>', about: 'deliveries of this endpoint, from --since on' },
    since: { flag: '--since <time>', about: 'those that were made from this time on' },
    until: { flag: '--until <time>', about: 'those that were made up to this time' },
    failed: { flag: '--failed', about: 'of these, those that were given up' },
  },
  examples: [
    'bindery webhooks replay 0197a4c2-7f00-7000-8000-000000000002',
    'bindery webhooks replay --endpoint 0197a4c2-7f00-7000-8000-000000000001 --since 2027-01-31T12:00:00Z --failed',
  ],
  run: ({ argument, options }, cli) => replay(cli, argument, options),
})

const listenToChanges = defineCommand({
  name: 'listen',
  about: 'forward changes to an address of this machine, signed, while you write a receiver',
  options: {
    forward: {
      flag: '--forward <url>',
      about: 'where they go, for example http://127.0.0.1:4000/hooks',
      isRequired: true,
    },
    resources: { flag: '--resources <names>', about: 'of these alone, for example products,orders' },
    as: { flag: '--as <id-or-email>', about: 'the changes that this user sees; by default those of the operator' },
    secret: { flag: '--secret <whsec>', about: 'sign by this; by default by a new one, which is shown' },
  },
  examples: ['bindery webhooks listen --forward http://127.0.0.1:4000/hooks --resources products'],
  async run({ options }, cli) {
    const { listen } = await import('./listen-command.ts')
    await listen(cli, options)
  },
})

export const webhookCommands: Command = {
  name: 'webhooks',
  about: 'endpoints that are told of changes: list them, test them, send again, and listen while you develop',
  commands: [listEndpoints, pingOneEndpoint, replayDeliveries, listenToChanges],
}
