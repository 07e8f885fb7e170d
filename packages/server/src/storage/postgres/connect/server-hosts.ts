/**
 * Chooses the host of the next connection, its encryption and its password. An address in a file is
 * read again for each connection, so that a password may change while the service runs.
 */
import pg from 'pg'
import { StartError } from '../../../errors.ts'
import { typeParsers } from './driver-values.ts'
import { codeOf, isConnectionFault } from './faults.ts'
import { type ConnectionAddress, parseAddress, type ServerHost, type TargetSessionAttrs } from './libpq-address.ts'
import { type TlsOptions, tlsOf } from './tls.ts'

export type ServerHosts = {
  /** The settings of the next connection. */
  config(): pg.ClientConfig
  /**
   * Connects by `config`. After a failure it looks for a host of the address that serves, and tries
   * again.
   */
  reach<T>(connect: () => Promise<T>): Promise<T>
  /** One connection outside the pools. */
  connect(more: pg.ClientConfig, onFault: (error: unknown) => void): Promise<pg.Client>
}

export type ServerHostsOptions = {
  readonly url: string
  /** Returns the address as it is now. */
  readonly reread?: (() => string) | undefined
}

type HostAttempt = { readonly host: ServerHost; readonly tls: TlsOptions }

export const connectMsMax = 2_000

/** The first query of each session. */
export const sessionSql =
  "SELECT pg_is_in_recovery() AS replica, current_setting('transaction_read_only') = 'on' AS readonly, current_schema() AS schema"
export type SessionState = { readonly replica: boolean; readonly readonly: boolean; readonly schema: string | null }

/**
 * 0 is the best; undefined: not usable. A primary that refuses writes is better than none, as its
 * rows can still be read.
 */
function rank(wish: TargetSessionAttrs, { replica, readonly }: SessionState): number | undefined {
  switch (wish) {
    case 'any':
      return replica ? 2 : readonly ? 1 : 0
    case 'read-write':
    case 'primary':
      return replica ? undefined : readonly ? 1 : 0
    case 'standby':
      return replica ? 0 : undefined
    case 'prefer-standby':
      return replica ? 0 : 1
    case 'read-only':
      return replica || readonly ? 0 : undefined
  }
}

/** For the parameter `options`, which the server splits at white space. */
function optionsOf({ options, schema }: ConnectionAddress['parameters']): string | undefined {
  if (schema === undefined) return options
  const path = `-c search_path=${pg.escapeIdentifier(schema).replace(/[\s\\]/g, (one) => `\\${one}`)}`
  return options ? `${options} ${path}` : path
}

/**
 * The server, or a proxy before it, refuses this kind of connection: the other of TLS and plain
 * text may work.
 */
function isNoWay(error: unknown): boolean {
  return codeOf(error) === '28000' || /\b(SSL|TLS|certificate)\b/i.test((error as Error).message)
}

/**
 * Tries each kind of connection to the host until one gets a response. Rejects where the host lacks
 * the wanted state.
 */
async function askHost(
  ways: readonly HostAttempt[],
  wish: TargetSessionAttrs,
  configOf: (way: HostAttempt) => pg.ClientConfig,
) {
  let failed: unknown
  for (const way of ways) {
    const one = new pg.Client({ ...configOf(way), query_timeout: connectMsMax })
    one.on('error', () => undefined) // the running statement reports it
    try {
      await one.connect()
      const found = rank(wish, (await one.query<SessionState>(sessionSql)).rows[0] as SessionState)
      if (found !== undefined) return { way, rank: found }
      throw new StartError(`${way.host.host ?? 'localhost'} is not ${wish}, as target_session_attrs demands`)
    } catch (error) {
      if (!isNoWay(error)) throw error
      failed = /does not support SSL/.test((error as Error).message) ? (failed ?? error) : error
    } finally {
      await one.end().catch(() => undefined)
    }
  }
  throw failed
}

/**
 * The first host of rank 0 to respond, else the best of all. Rejects with the most useful error.
 */
async function bestOf(asked: readonly ReturnType<typeof askHost>[]): Promise<HostAttempt> {
  const best = asked.map(async (one) => {
    const found = await one
    return found.rank === 0 ? found.way : Promise.reject(new Error('there may be a better one'))
  })
  return Promise.any(best).catch(async () => {
    const all = await Promise.allSettled(asked)
    const usable = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const [least] = usable.toSorted((a, b) => a.rank - b.rank)
    if (least) return least.way
    const errors = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    throw errors.find((error) => !isConnectionFault(error)) ?? errors.at(-1)
  })
}

function makeConfigOf(
  { url, reread = () => url }: ServerHostsOptions,
  first: ConnectionAddress,
): (way: HostAttempt) => pg.ClientConfig {
  const { parameters } = first
  const { sslnegotiation, channel_binding: binding, connect_timeout: seconds } = parameters
  let latest = first

  /** The current user and password; all other parameters are those of the start. */
  function credentials(): Pick<ConnectionAddress, 'user' | 'password'> {
    try {
      latest = parseAddress(reread()) ?? latest
    } catch {
      // the file is just being written: the next connection reads it again
    }
    return { user: latest.user, password: latest.password }
  }

  return ({ host: { host, port }, tls }) => ({
    ...credentials(),
    host,
    port,
    database: first.database,
    options: optionsOf(parameters),
    ssl: tls,
    ...(tls && sslnegotiation === 'direct' && { sslnegotiation }),
    enableChannelBinding: binding === 'prefer',
    keepAlive: true,
    connectionTimeoutMillis: seconds ? Number(seconds) * 1000 : connectMsMax,
    types: typeParsers as never,
  })
}

export function makeServerHosts(options: ServerHostsOptions): ServerHosts {
  const first = parseAddress(options.url) as ConnectionAddress
  const { hosts, parameters } = first
  const wish = (parameters.target_session_attrs as TargetSessionAttrs | undefined) ?? 'any'
  const encrypting = tlsOf(first)
  const waysTo = (host: ServerHost): HostAttempt[] =>
    (host.host?.startsWith('/') ? [false as const] : encrypting).map((tls) => ({ host, tls }))
  const configOf = makeConfigOf(options, first)
  const isMany = hosts.length > 1
  let at = waysTo(hosts[0] as ServerHost)[0] as HostAttempt
  let looking: Promise<void> | undefined
  let isFound = !isMany && wish === 'any'

  async function look(): Promise<void> {
    at = await bestOf(hosts.map((host) => askHost(waysTo(host), wish, configOf)))
    isFound = true
  }
  function find(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  function canMend(error: unknown): boolean {
    if (isMany) return isConnectionFault(error) || isNoWay(error)
    return waysTo(at.host).length > 1 && isNoWay(error)
  }
  async function reach<T>(connect: () => Promise<T>): Promise<T> {
    if (!isFound) await find()
    try {
      return await connect()
    } catch (error) {
      if (!canMend(error)) throw error
    }
    await find()
    return connect()
  }

  return {
    config: () => configOf(at),
    reach,
    connect: (more, onFault) =>
      reach(async () => {
        const one = new pg.Client({ ...configOf(at), ...more })
        one.on('error', onFault)
        await one.connect()
        return one
      }),
  }
}
