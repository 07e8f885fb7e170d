/** Which PostgreSQL is meant, and how to connect to it: from its address and its variables. */
import { type Environment, isTrue, type Variable, wholeNumber } from '../../environment.ts'

export type PostgresSetup = {
  readonly url: string
  readonly connectionsMax: number
  readonly prepare: boolean
}

export const postgresForm = 'postgres://USER:PASSWORD@HOST:PORT/NAME'

export const postgresVariables: readonly Variable[] = [
  {
    name: 'DATABASE_CONNECTIONS',
    value: '10',
    about: 'connections to PostgreSQL for the work of one process, and 2 more',
  },
  {
    name: 'DATABASE_PREPARE',
    value: 'true',
    about: 'false: no prepared statements, for a proxy that cannot keep them',
  },
]

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url)
}

/** Undefined for any other address. */
export function parsePostgres(url: string, env: Environment): PostgresSetup | undefined {
  if (!isPostgres(url)) return undefined
  return {
    url,
    connectionsMax: wholeNumber(env, 'DATABASE_CONNECTIONS', { min: 1, max: 1000, otherwise: 10 }),
    prepare: isTrue(env, 'DATABASE_PREPARE', 'true'),
  }
}

/** `postgres://db.example:5432/shop`: without user and password. */
export function addressOf(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  const schema = searchParams.get('options')
  const end = schema ? `?options=${schema}` : ''
  return `postgres://${host || 'localhost'}:${(searchParams.get('port') ?? port) || 5432}${pathname}${end}`
}

/** Also true for two names of this machine. */
export function isSameServer(a: string, b: string): boolean {
  const local = (url: string) => addressOf(url).replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:')
  return local(a) === local(b)
}
