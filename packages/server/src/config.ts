/**
 * Reads the environment into one frozen Config. No other file reads the environment. The folder of
 * each database parses that database's own variables.
 */
import { resolve } from 'node:path'
import {
  type Environment,
  fail,
  isTrue,
  oneOf,
  type Variable,
  type VariableGroup,
  wholeNumber,
} from './base/environment.ts'
import { limits } from './limits.ts'
import {
  type ObserveSettings,
  observeVariables,
  parseObserve,
  parseTopSource,
  type TopSource,
} from './observe/settings.ts'
import type { ApplicationParts } from './resource/parts/application-parts.ts'
import { settingsType } from './resource/parts/define-settings.ts'
import type { ServiceSettings } from './resource/rule.ts'
import {
  type AccountSettings,
  accountVariables,
  type FirstAdmin,
  mailVariables,
  parseAccountOptions,
  parseAccounts,
  parseAdmin,
} from './settings/account-settings.ts'
import {
  type ApplicationSettings,
  applicationVariables,
  findTakenVariables,
  inFiles,
  readApplicationSettings,
  showApplicationSettings,
} from './settings/application-settings.ts'
import { type BackupSettings, backupVariables, parseBackups } from './settings/backup-settings.ts'
import { type FederationSettings, federationVariables, parseFederation } from './settings/federation-settings.ts'
import { type FileSettings, fileVariables, parseFiles } from './settings/file-settings.ts'
import {
  type AllowedHosts,
  networkVariables,
  parseHosts,
  parseOrigins,
  parsePlaceHeader,
  parseRateLimit,
  parseRateLimits,
  parseTrustProxy,
  type RateLimit,
  type RateLimits,
  rateVariables,
  signUpLimitOtherwise,
  type TrustProxy,
} from './settings/network-settings.ts'
import { type OutgoingSettings, outgoingVariables, parseOutgoing } from './settings/outgoing-settings.ts'
import { secretFilesHelp, withSecretFiles } from './settings/secret-files.ts'
import { interfaceVariables, parseConsole, servingVariables } from './settings/serving-settings.ts'
import type { ShownSetting } from './settings/shown-settings.ts'
import { parseSecret, parseSigning, type SigningKeys, signingVariables } from './settings/signing-settings.ts'
import { unknownVariables } from './settings/unknown-variables.ts'
import { unnamedSettings } from './settings/unnamed-settings.ts'
import { parseWork, type WorkSettings, workVariables } from './settings/work-settings.ts'
import type { ConfiguredDatabase } from './storage/database-kind.ts'
import { databaseVariables, parseDatabase } from './storage/open.ts'

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

const logVariable: Variable = {
  name: 'LOG_LEVEL',
  takes: logLevels.map((level) => `\`${level}\``).join(', '),
  value: 'info',
  about: logLevels.join(', '),
}

export type Config = FederationSettings &
  ObserveSettings & {
    readonly port: number
    readonly host: string
    readonly database: ConfiguredDatabase
    /** The folder for what the service keeps in files. */
    readonly dataDir: string
    /** Undefined: a secret is generated at the first start and kept with the database. */
    readonly jwtSecret: string | undefined
    readonly jwtSecretPrevious: string | undefined
    /** The key pair of access tokens; undefined where a secret signs them. */
    readonly signing: SigningKeys
    readonly admin: FirstAdmin | undefined
    readonly settings: ServiceSettings
    readonly accounts: AccountSettings
    /** Undefined: no limit. */
    readonly rateLimits: RateLimits | undefined
    /** Of one address. Undefined: no limit. */
    readonly signUpLimit: RateLimit | undefined
    readonly trustProxy: TrustProxy
    /**
     * The header in which a trusted proxy says where an address is, in lower case. Undefined: none.
     */
    readonly placeHeader: string | undefined
    /** Of one address, in one process. */
    readonly connectionsPerAddressMax: number
    /** Undefined: any name. */
    readonly hosts: AllowedHosts | undefined
    readonly corsOrigins: readonly string[]
    readonly cookieSecure: boolean
    readonly logLevel: (typeof logLevels)[number]
    readonly workers: number
    /** Whether answers and totals are kept in memory. */
    readonly keepAnswers: boolean
    /** Whether answers are compressed for clients that take them so. */
    readonly compression: boolean
    /**
     * The access that agents have at `/mcp`; undefined: read, where the package for it is
     * installed.
     */
    readonly mcp: 'off' | 'read' | 'write' | undefined
    /** The file of trusted GraphQL documents; undefined where every document is answered. */
    readonly graphqlDocuments: string | undefined
    readonly outgoing: OutgoingSettings
    readonly backups: BackupSettings
    readonly files: FileSettings
    readonly work: WorkSettings
    /** The settings of an application with these parts. Throws `StartError`. */
    readonly application: (parts: ApplicationParts) => ApplicationSettings
    /**
     * Sentences about variables that are nearly one of ours, or one of these declarations, and that
     * nothing reads.
     */
    readonly unknownVariables: (declarations: readonly unknown[]) => readonly string[]
    /**
     * Every variable with its value, for its operator; a secret has none. Those of these parts come
     * last.
     */
    readonly shownSettings: (parts: ApplicationParts) => readonly ShownSetting[]
  }

/** Every variable, by subject: what `--help` and docs/reference/configuration.md list. */
export const variableGroups: readonly VariableGroup[] = [
  { title: 'Address and processes', variables: servingVariables },
  { title: 'Database', variables: databaseVariables },
  { title: 'Host names, proxies and browsers', variables: networkVariables },
  { title: 'Limits of clients', variables: rateVariables },
  { title: 'Secrets and signing', variables: signingVariables },
  { title: 'Users and sessions', variables: accountVariables },
  { title: 'Mail', variables: mailVariables },
  { title: 'Identity providers and trusted issuers', variables: federationVariables },
  { title: 'Requests to others', variables: outgoingVariables },
  { title: 'Interfaces and answers', variables: interfaceVariables },
  { title: 'Logs, metrics and traces', variables: [logVariable, ...observeVariables] },
  { title: 'Files of records', variables: fileVariables },
  { title: 'Jobs and effects', variables: workVariables },
  { title: 'Backups', variables: backupVariables },
]

export const variables: readonly Variable[] = variableGroups.flatMap((group) => group.variables)

/** The table of variables, for `--help`. */
export function environmentHelp(): string {
  const width = Math.max(...variables.map(({ name }) => name.length))
  const lines = variables.map(
    ({ name, value, about }) => `  ${name.padEnd(width)}  ${about}${value === '' ? '' : ` (${value})`}`,
  )
  return `Environment:\n${lines.join('\n')}\n\n${secretFilesHelp(variables)}`
}

/** Mistakes in the settings of an application that are known without their values. */
export function findSettingsMistakes(parts: ApplicationParts): readonly string[] {
  return findTakenVariables(parts.of(settingsType), variables)
}

type EnvironmentSource = { readonly environment?: Environment; readonly defaults?: Environment }

/** The process's own environment, and the secrets that stand in files. Throws `StartError`. */
export function ownEnvironment(): Environment {
  return withSecretFiles(process.env, variables)
}

/**
 * The process's own environment, with `environment` over it and `defaults` for what it does not
 * set.
 */
export function environmentWith({ environment = {}, defaults = {} }: EnvironmentSource): Environment {
  const unsaid = Object.entries(defaults).filter(([name]) => !process.env[name])
  return { ...process.env, ...Object.fromEntries(unsaid), ...environment }
}

export type { TopSource }

/**
 * Where a running server says what it does. `given`: the address, if the caller has one. Throws
 * `StartError`.
 */
export function readTopSource(given: string | undefined, env: Environment = process.env): TopSource {
  return parseTopSource(withSecretFiles(env, variables), given)
}

/** Throws `StartError` with one clear line about the first bad value. */
export function readConfig(given: Environment = process.env): Config {
  const env = withSecretFiles(given, variables)
  const currency = env.CURRENCY || 'USD'
  if (!/^[A-Z]{3}$/.test(currency)) fail('CURRENCY', `must be three capital letters, not ${currency}`)
  const dataDir = resolve(env.DATA_DIR || './data')
  const trustProxy = parseTrustProxy(env.TRUST_PROXY)
  const signing = parseSigning(env)
  const federation = parseFederation(env)
  const database = parseDatabase(env, dataDir)
  const backups = parseBackups(env)
  const consolePath = parseConsole(env)
  const files = parseFiles(env, dataDir)
  const unnamed = unnamedSettings(given)
  if (backups.walCopy && !database.kind.ownLog)
    fail('WAL_COPY', 'is for the embedded database; the other one archives its log itself')
  return Object.freeze({
    port: wholeNumber(env, 'PORT', { min: 0, max: 65_535, otherwise: 3000 }),
    host: env.HOST || '127.0.0.1',
    dataDir,
    database,
    jwtSecret: parseSecret(env, 'JWT_SECRET'),
    jwtSecretPrevious: parseSecret(env, 'JWT_SECRET_PREVIOUS'),
    signing,
    admin: parseAdmin(env),
    settings: {
      currency,
      signUp: oneOf(env, 'SIGN_UP', { values: ['open', 'approval', 'closed'], otherwise: 'open' }),
      ...(consolePath !== undefined && { consolePath }),
      ...(signing && { publishesKeys: true }),
      ...(federation.oidcProviders.length > 0 && { oidcProviders: federation.oidcProviders.map(({ name }) => name) }),
      ...('bucket' in files.store && { signsUploads: true }),
      ...parseAccountOptions(env),
    },
    accounts: parseAccounts(env),
    rateLimits: parseRateLimits(env.RATE_LIMIT),
    signUpLimit:
      env.SIGN_UP_LIMIT === 'off'
        ? undefined
        : parseRateLimit(env.SIGN_UP_LIMIT || signUpLimitOtherwise, 'SIGN_UP_LIMIT'),
    trustProxy,
    placeHeader: parsePlaceHeader(env.PROXY_PLACE_HEADER, trustProxy),
    hosts: parseHosts(env, trustProxy),
    connectionsPerAddressMax: wholeNumber(env, 'CONNECTIONS_PER_ADDRESS', {
      min: 1,
      max: limits.connectionsMax,
      otherwise: 4_000,
    }),
    corsOrigins: parseOrigins(env.CORS_ORIGINS),
    ...federation,
    outgoing: parseOutgoing(env),
    cookieSecure: isTrue(env, 'COOKIE_SECURE', 'true'),
    logLevel: oneOf(env, 'LOG_LEVEL', { values: logLevels, otherwise: 'info' }),
    workers: wholeNumber(env, 'WORKERS', { min: 1, max: 64, otherwise: 1 }),
    keepAnswers: isTrue(env, 'KEEP_ANSWERS', 'true'),
    mcp: env.MCP ? oneOf(env, 'MCP', { values: ['off', 'read', 'write'], otherwise: 'read' }) : undefined,
    compression: oneOf(env, 'COMPRESSION', { values: ['on', 'off'], otherwise: 'on' }) === 'on',
    ...parseObserve(env),
    graphqlDocuments: env.GRAPHQL_DOCUMENTS ? resolve(env.GRAPHQL_DOCUMENTS) : undefined,
    backups,
    files,
    work: parseWork(env),
    application: (parts) => readApplicationSettings(parts.of(settingsType), env),
    shownSettings: (parts) => showApplicationSettings(env, variableGroups, parts.of(settingsType)),
    unknownVariables: (declarations) => {
      const own = inFiles(applicationVariables(declarations).variables)
      return [...unknownVariables(given, [...variables, ...own]), ...unnamed]
    },
  })
}
