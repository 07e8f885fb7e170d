/**
 * The commands `bindery key create|list|revoke`, for the resource that the mark of keys names. A
 * key is created as its owner would create it, so it belongs to the owner and has no more rights.
 */

import { timestampOf } from '../../base/clock.ts'
import { parseSpan } from '../../base/environment.ts'
import { createRecord, findRecord, listRecords, updateRecord } from '../../command/console-records.ts'
import { type Command, type Console, defineCommand } from '../../command/define-command.ts'
import { plainJson } from '../../command/output.ts'
import { makeTable, printRecord } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import { ApiError, StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import { findScopeProblem } from '../../policy/scope.ts'
import type { ApiKeyMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import type { Represented } from '../../value/represent.ts'
import { getUser, loginOf } from '../users/named-user.ts'

type CreateOptions = { user: string; name: string; scopes?: string; expires?: string }

/** Throws `StartError` in an application without keys. */
function keyOf({ catalog }: Engine): MarkedTable<ApiKeyMark> {
  if (!catalog.apiKey) throw new StartError('This application has no API keys')
  return catalog.apiKey
}

/**
 * `parseExpiry('90d', now)` → 90 days from now; anything else is left to the field, which takes RFC
 * 3339. Throws `UsageError`.
 */
export function parseExpiry(text: string, nowMs: number): string {
  const span = parseSpan(text, /^(\d{1,6})([hdw])$/)
  const ms = span === undefined ? Date.parse(text) : nowMs + span
  if (Number.isNaN(ms) || (span === undefined && !/^\d{4}-\d{2}-\d{2}/.test(text))) {
    throw new UsageError('--expires must be a time such as 2027-01-31T12:00:00Z, or 12h, 90d, 8w from now')
  }
  if (ms <= nowMs) throw new UsageError(`--expires ${text} is in the past`)
  return span === undefined ? text : timestampOf(ms)
}

/**
 * `parseScopes(engine, 'products:read, orders:*')` → two scopes. Throws a `UsageError` that says
 * what is allowed.
 */
function parseScopes({ catalog }: Engine, text: string): string[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  const problem = findScopeProblem(catalog, scopes)
  if (problem) throw new UsageError(`--${problem}`)
  return scopes
}

async function create(cli: Console, { user, name, scopes, expires }: CreateOptions): Promise<void> {
  const { record, key } = await cli.withEngine(async (engine) => {
    const { resource, mark } = keyOf(engine)
    const login = loginOf(engine)
    const input: Record<string, unknown> = { name }
    if (scopes !== undefined) input[mark.scopes] = parseScopes(engine, scopes)
    if (expires !== undefined) input[mark.expiresAt] = parseExpiry(expires, engine.clock())
    const owner = await getUser(engine, user)
    const principal = {
      ...consolePrincipal(engine.catalog),
      userId: String(owner[login.resource.idField]),
      role: owner[login.mark.role] as string,
    }
    const made = await createRecord(engine, resource, { input, principal })
    return { record: made.record, key: made.revealed[mark.token] as string }
  })
  if (cli.output.json) return cli.output.value({ ...record, key })
  // Only the key goes to stdout, so that scripts can capture it; what is said about it goes to
  // stderr.
  cli.output.note(`${printRecord(record)}The key is shown only now:`)
  await cli.output.write(`${key}\n`)
}

/** Adds the log-in of each key's owner, which says more than an id. */
async function withOwners(
  engine: Engine,
  logins: Map<unknown, unknown>,
  keys: readonly Represented[],
): Promise<Record<string, unknown>[]> {
  const { mark } = keyOf(engine)
  const login = loginOf(engine)
  for (const id of new Set(keys.map((key) => key[mark.owner]))) {
    if (logins.has(id)) continue
    const isOwner = equal(login.resource.idField, String(id))
    logins.set(id, (await findRecord(engine, login.resource, isOwner))?.[login.mark.login])
  }
  return keys.map((key) => ({ ...key, user: logins.get(key[mark.owner]) }))
}

async function list(cli: Console, options: { user?: string }): Promise<void> {
  await cli.withEngine(async (engine) => {
    const { resource, mark } = keyOf(engine)
    const login = loginOf(engine)
    const owner = options.user === undefined ? undefined : await getUser(engine, options.user)
    const where = owner && equal(mark.owner, String(owner[login.resource.idField]))
    const hidden = (name: string) => resource.fields[name]?.hidden || resource.fields[name]?.setBy === 'create'
    const names = resource.fieldNames
      .filter((name) => !hidden(name))
      .map((name) => (name === mark.owner ? 'user' : name))
    const table = makeTable(names)
    const logins = new Map<unknown, unknown>()
    let count = 0
    for await (const keys of listRecords(engine, resource, where)) {
      const rows = await withOwners(engine, logins, keys)
      if (cli.output.json) await cli.output.write(rows.map((row) => `${plainJson(JSON.stringify(row))}\n`).join(''))
      else await cli.output.write(table.print(rows, { header: count === 0 }))
      count += rows.length
    }
    cli.output.note(`${count} ${count === 1 ? 'key' : 'keys'}`)
  })
}

type RevokeOptions = { readonly user?: string }

/** The named keys that are still valid. */
async function keysToRevoke(
  engine: Engine,
  id: string | undefined,
  { user }: RevokeOptions,
): Promise<readonly Represented[]> {
  const { resource, mark } = keyOf(engine)
  if (id !== undefined) {
    const found = await findRecord(engine, resource, equal(resource.idField, id.toLowerCase()))
    if (!found) throw new ApiError('not-found', `${resource.label} ${id} not found`)
    return [found]
  }
  const owner = await getUser(engine, user ?? '')
  const where = equal(mark.owner, String(owner[loginOf(engine).resource.idField]))
  const found: Represented[] = []
  for await (const keys of listRecords(engine, resource, where)) found.push(...keys.filter((key) => key[mark.active]))
  return found
}

async function revoke(cli: Console, id: string | undefined, options: RevokeOptions): Promise<void> {
  if ((id === undefined) === (options.user === undefined))
    throw new UsageError('say which: an id, or --user with an e-mail or id')
  const revoked = await cli.withEngine(async (engine) => {
    const { resource, mark } = keyOf(engine)
    const records: Represented[] = []
    for (const key of await keysToRevoke(engine, id, options))
      records.push(
        await updateRecord(engine, resource, { id: String(key[resource.idField]), input: { [mark.active]: false } }),
      )
    return records
  })
  for (const record of revoked)
    await (cli.output.json ? cli.output.value(record) : cli.output.write(printRecord(record)))
  const which = revoked.length === 1 ? 'this key' : `these ${revoked.length} keys`
  cli.output.note(
    revoked.length === 0 ? 'No key is active.' : `Revoked: requests with ${which} are refused from now on.`,
  )
}

const createKey = defineCommand({
  name: 'create',
  about: 'make a key and show it once',
  options: {
    user: { flag: '--user <id-or-email>', about: 'the owner: the key may do what the owner may', isRequired: true },
    name: { flag: '--name <name>', about: 'the purpose of the key', isRequired: true },
    scopes: { flag: '--scopes <scopes>', about: 'cut it down, for example products:read,orders:*' },
    expires: { flag: '--expires <when>', about: 'RFC 3339, or 12h, 90d, 8w from now; never unless said' },
  },
  examples: [
    'bindery key create --user ann@example.com --name importer --scopes products:write --expires 90d',
    'KEY=$(bindery key create --user ann@example.com --name ci 2>/dev/null)',
  ],
  run: ({ options }, cli) => create(cli, options),
})

const listKeys = defineCommand({
  name: 'list',
  about: 'all keys, newest first; the keys themselves are not stored',
  options: { user: { flag: '--user <id-or-email>', about: 'only the keys of this user' } },
  examples: ['bindery key list --user ann@example.com', 'bindery key list --json | jq -r .id'],
  run: ({ options }, cli) => list(cli, options),
})

const revokeKeys = defineCommand({
  name: 'revoke',
  about: 'switch a key off, or all keys of a user',
  argument: { name: '[id]', about: 'the id that key list shows' },
  options: { user: { flag: '--user <id-or-email>', about: 'every key of this user' } },
  examples: ['bindery key revoke 01890a5d-ac96-774b-bcce-b302099a8057', 'bindery keys revoke --user ann@example.com'],
  run: ({ argument, options }, cli) => revoke(cli, argument, options),
})

export const keyCommands: Command = {
  name: 'key',
  alias: 'keys',
  about: 'API keys',
  examples: [
    'bindery key create --user ann@example.com --name importer --scopes products:write',
    'bindery key list --user ann@example.com',
  ],
  commands: [createKey, listKeys, revokeKeys],
}
