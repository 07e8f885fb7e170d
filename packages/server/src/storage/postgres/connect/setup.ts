/** Parses the PostgreSQL address and its variables into the settings of the connections. */
import { readFileSync } from 'node:fs'
import { type Environment, isTrue, type Variable, wholeNumber } from '../../../base/environment.ts'
import { parseAddress } from './libpq-address.ts'
import { tlsOf } from './tls.ts'

export type PostgresSetup = {
  readonly url: string
  /** Returns the current address; undefined where it cannot change. */
  readonly reread?: (() => string) | undefined
  readonly connectionsMax: number
  /**
   * False behind a proxy that gives every transaction another connection and keeps no prepared
   * statements.
   */
  readonly prepare: boolean
}

export const postgresForm = 'postgres://USER:PASSWORD@HOST:PORT/NAME'

export const postgresVariables: readonly Variable[] = [
  {
    name: 'DATABASE_CONNECTIONS',
    takes: 'whole number, 1 to 1000',
    value: '10',
    about: 'connections to PostgreSQL for the work of one process, and 2 more',
  },
  {
    name: 'DATABASE_PREPARE',
    takes: '`true` or `false`',
    value: 'true',
    about: 'false: no prepared statements, for a proxy that cannot keep them',
  },
]

/** PGSSLMODE counts where the address has no sslmode. */
function withSslMode(address: string, mode: string | undefined): string {
  if (!mode || /[?&]ssl(mode)?=/.test(address)) return address
  return `${address}${address.includes('?') ? '&' : '?'}sslmode=${encodeURIComponent(mode)}`
}

/** Undefined for any other address. Throws `StartError`, which shows no password. */
export function parsePostgres(text: string, env: Environment): PostgresSetup | undefined {
  const complete = (address: string) => withSslMode(address.trim(), env.PGSSLMODE)
  const { DATABASE_URL_FILE: file } = env
  const url = complete(text)
  const address = parseAddress(url)
  if (address === undefined) return undefined
  tlsOf(address)
  return {
    url,
    ...(file && { reread: () => complete(readFileSync(file, 'utf8')) }),
    connectionsMax: wholeNumber(env, 'DATABASE_CONNECTIONS', { min: 1, max: 1000, otherwise: 10 }),
    prepare: isTrue(env, 'DATABASE_PREPARE', 'true'),
  }
}
