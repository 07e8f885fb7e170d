/**
 * Parses a PostgreSQL address as libpq does: several hosts, sockets, and the parameters that this
 * program knows. The address may hold a password, so no message shows more of it than the name of a
 * parameter.
 */
import { fail } from '../../../base/environment.ts'
import { nearest } from '../../../resource/words/nearest.ts'

export type ServerHost = { readonly host: string | undefined; readonly port: number | undefined }

export const targetSessionAttrs = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
export type TargetSessionAttrs = (typeof targetSessionAttrs)[number]
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export type SslMode = (typeof sslModes)[number]

/**
 * The values that a parameter may have: `any` allows every text, `given` every text but the empty
 * one.
 */
const parameters = {
  host: 'given',
  port: 'given',
  user: 'given',
  password: 'any',
  dbname: 'given',
  schema: /^[^"\\\0]{1,63}$/,
  options: 'any',
  target_session_attrs: targetSessionAttrs,
  sslmode: sslModes,
  ssl: ['true', 'false', '1', '0'],
  sslrootcert: 'given',
  sslcert: 'given',
  sslkey: 'given',
  sslpassword: 'any',
  sslnegotiation: ['postgres', 'direct'],
  channel_binding: ['disable', 'prefer'],
  connect_timeout: /^(10|[1-9])$/,
  client_encoding: ['auto', 'utf8', 'UTF8', 'utf-8', 'UTF-8'],
  gssencmode: ['disable', 'prefer'],
  uselibpqcompat: ['true'],
} as const satisfies Record<string, readonly string[] | RegExp | 'any' | 'given'>
type Parameter = keyof typeof parameters

export type ConnectionAddress = {
  /** In the order in which they are tried; never empty. */
  readonly hosts: readonly ServerHost[]
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly parameters: Readonly<Partial<Record<Parameter, string>>>
}

const refuse = (problem: string): never => fail('DATABASE_URL', problem)

/** Throws `StartError` for a percent sign that encodes nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return refuse('has a % that encodes nothing: write %25 for it in a user, a password or a name')
  }
}

/** By the name of its parameter. */
const earlierNames: Readonly<Record<string, string>> = { 'no-verify': 'require' }

function checkParameter(name: string, value: string): void {
  if (name === 'application_name' || name === 'fallback_application_name')
    refuse(`sets ${name}, by which instances tell one another apart: leave it out`)
  if (!Object.hasOwn(parameters, name)) {
    const names = Object.keys(parameters)
    const near = nearest(name, names)
    const end = near ? `did you mean ${near}?` : `there are ${names.join(', ')}`
    refuse(`has a parameter ${/^\w{1,40}$/.test(name) ? `${name} ` : ''}that is not known; ${end}`)
  }
  const form: readonly string[] | RegExp | string = parameters[name as Parameter]
  if (form === 'given' && value === '') refuse(`has an empty ${name}`)
  if (form instanceof RegExp && !form.test(value))
    refuse(name === 'schema' ? 'has a schema that is none' : `has a ${name} that is no number of seconds from 1 to 10`)
  if (!Array.isArray(form) || form.includes(value)) return
  const near = nearest(value, form as string[])
  refuse(
    `has ${name}=${shown(value)}, which is none; ${near ? `did you mean ${near}?` : `there are ${form.join(', ')}`}`,
  )
}

/** A value that looks like a valid one. Any other text may be a piece of a password. */
function shown(value: string): string {
  return /^[\w-]{1,20}$/.test(value) ? value : '…'
}

function parseParameters(query: string): ConnectionAddress['parameters'] {
  const found: Record<string, string> = {}
  for (const pair of query.split('&').filter(Boolean)) {
    const at = pair.indexOf('=')
    if (at < 0) refuse('has a parameter without a value')
    const name = decoded(pair.slice(0, at))
    const written = pair.slice(at + 1)
    // Forms write a space as a plus, and spaces separate options; a plus in an option is %2B.
    const text = decoded(name === 'options' ? written.replaceAll('+', ' ') : written)
    const value = name === 'sslmode' ? (earlierNames[text] ?? text) : text
    if (Object.hasOwn(found, name)) refuse(`has ${shown(name)} twice`)
    checkParameter(name, value)
    found[name] = value
  }
  return found
}

function portOf(text: string | undefined): number | undefined {
  if (!text) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port >= 1 && port <= 65_535 ? port : refuse('has a port that is none: it must be a number from 1 to 65535')
}

/** `a:5432,[::1],%2Frun%2Fpostgresql` → hosts with their ports */
function parseHosts(text: string, { host, port }: ConnectionAddress['parameters']): ServerHost[] {
  const written = text.split(',').map((one) => {
    const [, name = '', bare = '', at] =
      /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(one) ?? refuse('has a host that is none')
    return { host: decoded(name || bare) || undefined, port: portOf(at) }
  })
  const names = host === undefined ? written.map((one) => one.host) : host.split(',').map((one) => one || undefined)
  const ports = port === undefined ? written.map((one) => one.port) : port.split(',').map(portOf)
  if (ports.length > 1 && ports.length !== names.length)
    refuse(`has ${ports.length} ports for ${names.length} ${names.length === 1 ? 'host' : 'hosts'}`)
  return names.map((one, i) => ({ host: one, port: ports.length > 1 ? ports[i] : ports[0] }))
}

function checkTogether({
  ssl,
  sslmode,
  sslrootcert,
  sslcert,
  sslkey,
  sslnegotiation,
}: ConnectionAddress['parameters']): void {
  if (ssl !== undefined && sslmode !== undefined) refuse('has both ssl and sslmode: leave ssl out')
  if (sslmode === 'verify-ca' && !sslrootcert)
    refuse(
      'has sslmode=verify-ca, which needs sslrootcert, the file of the authority; verify-full also takes public ones',
    )
  if (sslrootcert === 'system' && sslmode !== 'verify-full')
    refuse('has sslrootcert=system, which needs sslmode=verify-full')
  if ((sslcert === undefined) !== (sslkey === undefined)) refuse('has one of sslcert and sslkey: it needs both')
  if (sslnegotiation === 'direct' && !['require', 'verify-ca', 'verify-full'].includes(sslmode ?? ''))
    refuse('has sslnegotiation=direct, which needs sslmode=require, verify-ca or verify-full')
}

/**
 * Undefined for an address of something else. Throws `StartError`, which names parameters and never
 * values.
 */
export function parseAddress(text: string): ConnectionAddress | undefined {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(text.trim()) ?? []
  if (rest === undefined) return undefined
  const [, authority = '', path = '', query = ''] = /^([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?/s.exec(rest) ?? []
  // The end of a password that has an unescaped / ? or #.
  if (rest.slice(authority.length).includes('@') || rest.includes('#'))
    refuse('has a character in its password that must be encoded: / is %2F, @ is %40, # is %23, ? is %3F')
  const found = parseParameters(query)
  checkTogether(found)
  const at = authority.lastIndexOf('@')
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(at, 0))) ?? []
  return {
    hosts: parseHosts(authority.slice(at + 1), found),
    user: found.user ?? (decoded(user) || undefined),
    password: found.password ?? (password ? decoded(password) : undefined),
    database: found.dbname ?? (decoded(path) || undefined),
    parameters: found,
  }
}

/**
 * `postgres://a.example:5432,b.example:5432/shop?schema=books`: without user, password and
 * connection parameters.
 */
export function addressOf(text: string): string {
  const { hosts, database = '', parameters: found } = parseAddress(text) as ConnectionAddress
  const names = hosts.map(({ host = 'localhost' }) => host)
  const ports = hosts.map(({ port = 5432 }) => port)
  const isSocket = names.some((name) => name.startsWith('/'))
  const places = hosts.map((_, i) => `${names[i]?.includes(':') ? `[${names[i]}]` : names[i]}:${ports[i]}`)
  const { schema, options } = found
  const more = [
    ...(isSocket ? [`host=${names.join()}`, `port=${ports.join()}`] : []),
    ...(schema === undefined ? [] : [`schema=${encodeURIComponent(schema)}`]),
    ...(options ? [`options=${encodeURIComponent(options)}`] : []),
  ]
  return `postgres://${isSocket ? '' : places.join()}/${encodeURIComponent(database)}${more.length > 0 ? `?${more.join('&')}` : ''}`
}

/** Also true for two names of this machine, and where one of several hosts is the same. */
export function isSameServer(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => {
    const { hosts, database, parameters: found } = parseAddress(text) as ConnectionAddress
    const places = hosts.map(
      ({ host = 'localhost', port = 5432 }) => `${['127.0.0.1', '::1'].includes(host) ? 'localhost' : host} ${port}`,
    )
    return { places, rest: JSON.stringify([database, found.schema, found.options]) }
  }) as [{ places: string[]; rest: string }, { places: string[]; rest: string }]
  return one.rest === other.rest && one.places.some((place) => other.places.includes(place))
}

/** The same address for work in this schema. */
export function withSchema(text: string, schema: string): string {
  const [, start = '', query = ''] = /^([^?]*)(?:\?(.*))?$/s.exec(text.trim()) ?? []
  const kept = query.split('&').filter((pair) => pair && !pair.startsWith('schema='))
  return `${start}?${[...kept, `schema=${encodeURIComponent(schema)}`].join('&')}`
}
