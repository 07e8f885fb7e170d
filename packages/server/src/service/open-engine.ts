/**
 * Assembles the engine from declarations and configuration, for the server and the command line.
 * The engine performs all operations.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { accountSteps } from '../accounts/account-steps.ts'
import { recordAudit } from '../accounts/audit/audit.ts'
import type { FederationConfig } from '../accounts/federation/federation.ts'
import type { TrustConfig } from '../accounts/federation/foreign-token-callers.ts'
import type { IssuerDoor } from '../accounts/federation/issuer-door.ts'
import { oidcPackage } from '../accounts/federation/oidc-client.ts'
import { type Identity, type IdentityDeps, makeIdentity } from '../accounts/identity.ts'
import { type IdentityTables, identityTablesOf } from '../accounts/identity-tables.ts'
import { accountActions } from '../accounts/own-actions.ts'
import type { HashCost } from '../accounts/passwords/argon2.ts'
import { loadWeakness } from '../accounts/passwords/password-strength.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import { countingFailures } from '../accounts/throttles/throttle.ts'
import { allSecrets, currentSecrets } from '../accounts/tokens/stored-secrets.ts'
import type { SigningPair } from '../accounts/tokens/token-keys.ts'
import { makeIdentityWithoutUsers } from '../accounts/without-users.ts'
import { backupsIn } from '../backup/backup-traces.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { type MakeId, makeIds } from '../base/ids.ts'
import { checkInstalled } from '../base/optional-package.ts'
import { restrictFolderToOwner } from '../base/owner-only.ts'
import { boundRecords } from '../code/bound-records.ts'
import { holdServices, type ServiceTwins } from '../code/held-services.ts'
import { codeEngineOf } from '../code/judged-engine.ts'
import { type Config, findSettingsMistakes } from '../config.ts'
import { effectSteps } from '../effects/declared-effects.ts'
import { StartError } from '../errors.ts'
import { withFileSteps } from '../files/steps/file-steps.ts'
import { tenantJobSteps } from '../jobs/tenant-jobs.ts'
import { limits } from '../limits.ts'
import type { StorageMetrics } from '../observe/storage-metrics.ts'
import { fetchUntil } from '../outgoing/fetch-until.ts'
import { makeOutgoing, type Outgoing, type OutgoingListener, type OutgoingTwin } from '../outgoing/outgoing.ts'
import { trashActions } from '../perform/restore-trashed.ts'
import { isOpen } from '../policy/passing-roles.ts'
import { makePolicy, type Policy } from '../policy/policy.ts'
import { findScopeProblem } from '../policy/scope.ts'
import { authorOf } from '../record/author.ts'
import { checkSteps } from '../record/declared/check-steps.ts'
import { historySteps } from '../record/declared/history-steps.ts'
import { hookSteps } from '../record/declared/hook-steps.ts'
import { revertActions } from '../record/declared/revert.ts'
import { storedChecks } from '../record/declared/stored-checks.ts'
import { guardNode } from '../record/guard/guard-node.ts'
import { makeGuard } from '../record/guard/guarded-code.ts'
import { makeRecordStore, type RecordStore, type RecordTransaction } from '../record/record-store.ts'
import { resolveStages } from '../record/stages.ts'
import { type Catalog, makeCatalog } from '../resource/catalog.ts'
import type { CodeSettings } from '../resource/parts/part-handles.ts'
import type { FindCodeTenants } from '../resource/tenancy/code-tenants.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import type { ApplicationSettings } from '../settings/application-settings.ts'
import { settleRoles } from '../settings/role-settings.ts'
import { parsePrivateKey } from '../settings/signing-settings.ts'
import type { CreateMode } from '../storage/database-kind.ts'
import { lossFileIn } from '../storage/migrate/loss-file.ts'
import { keepSecret, openStorage } from '../storage/open.ts'
import { nonRecordMethods, recordReads, wrapStorage } from '../storage/wrap-storage.ts'
import { callerMemberships } from '../tenancy/caller-memberships.ts'
import { makeInvitations } from '../tenancy/invitations.ts'
import { auditOperators, type NoteOperatorWrite } from '../tenancy/operator-audit.ts'
import { auditReads, type OperatorRead } from '../tenancy/operator-reads.ts'
import { tenancySteps } from '../tenancy/tenancy-steps.ts'
import { hasGuardedApplication } from './guard-watch/guarded-application.ts'
import { loadWebhookWrites } from './webhooks/load-webhooks.ts'

type FoundSecrets = {
  /** Secrets of access tokens, newest first. */
  readonly now: readonly Buffer[]
  /** Secrets of sealed values in the database. */
  readonly ever: readonly Buffer[]
}

async function secretsOf({ jwtSecret, jwtSecretPrevious, database }: Config): Promise<FoundSecrets> {
  const previous = jwtSecretPrevious ? [jwtSecretPrevious] : []
  const all = (own: readonly string[]) => [...own, ...previous].map((one) => Buffer.from(one))
  if (jwtSecret !== undefined) return { now: all([jwtSecret]), ever: all([jwtSecret]) }
  const kept = await keepSecret(database, randomBytes(48).toString('base64url'))
  return { now: all(currentSecrets(kept, Date.now())), ever: all(allSecrets(kept)) }
}

/** The key pair that signs access tokens; undefined where a secret does. Throws `StartError`. */
async function signingPairOf({ signing, database }: Config): Promise<SigningPair | undefined> {
  if (!signing) return undefined
  const { previous } = signing
  if (signing.privateKey) return { privateKey: signing.privateKey, previous }
  const drawn = JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))
  const kept = await keepSecret(database, drawn, 'jwt key')
  try {
    return { privateKey: parsePrivateKey(kept), previous }
  } catch {
    throw new StartError('The generated key of access tokens is damaged; take it away to have another made')
  }
}

/** An application without users needs no secret either. */
async function identityOf(
  parts: Omit<IdentityDeps, 'secrets' | 'sealingSecrets' | 'findSecrets'>,
  config: Config,
  marks: IdentityTables | undefined,
) {
  if (!marks) return makeIdentityWithoutUsers()
  const { storage } = parts
  const { now: secrets, ever: sealingSecrets } = await secretsOf(config)
  const signingPair = await signingPairOf(config)
  const findSecrets = config.jwtSecret === undefined ? async () => (await secretsOf(config)).now : undefined
  const { find, list, listEach, testEach, count } = storage.urgent
  const own = { find, list, listEach, testEach, count }
  const urgent = wrapStorage(storage, own, { ...recordReads, ...nonRecordMethods })
  return makeIdentity({ ...parts, secrets, sealingSecrets, findSecrets, signingPair, storage: urgent }, marks)
}

/**
 * Undefined where no log-in by OpenID Connect is configured. Throws `StartError` where it cannot
 * work.
 */
function federatingOf(
  { oidcProviders: providers, settings }: Config,
  catalog: Catalog,
  { report = () => undefined, door }: Pick<EngineOptions, 'report'> & { readonly door: IssuerDoor },
): FederationConfig | undefined {
  if (providers.length === 0) return undefined
  checkInstalled(oidcPackage, `OIDC_PROVIDERS=${providers.map(({ name }) => name).join(',')}`)
  const { login, linkedAccount } = catalog
  if (!login || !linkedAccount)
    throw new StartError(
      'OIDC_PROVIDERS needs users with linked accounts: accounts({ …, linkedAccounts: true }) has them',
    )
  const rule = login.resource.access.create
  const maySignUp =
    settings.signUp !== 'closed' && rule !== undefined && isOpen(rule, { catalog, settings, resource: login.resource })
  return { providers, settings, maySignUp, report, door }
}

/** Throws `StartError` for unknown scopes. */
function trustingOf({ trustedIssuers: issuers }: Config, catalog: Catalog, door: IssuerDoor): TrustConfig | undefined {
  if (issuers.length === 0) return undefined
  if (!catalog.login) throw new StartError('JWT_TRUSTED_ISSUERS needs users, as whom its tokens act')
  for (const { name, scopes } of issuers) {
    const problem = findScopeProblem(catalog, scopes)
    if (problem) throw new StartError(`JWT_TRUSTED_ISSUERS: ${name}: ${problem}`)
  }
  return { issuers, door }
}

function issuerDoorOf(outgoing: Outgoing): IssuerDoor {
  const { issuerBytesMax: bytesMax, issuerMsMax: msMax } = limits
  return { fetch: outgoing.configured('issuers', { bytesMax, msMax, redirectsMax: 0 }), msMax }
}

function identitySettings({ settings, signUpLimit, accounts, publicUrl, corsOrigins }: Config) {
  const { sessionIdleMs } = accounts
  return { settings, signUpLimit, sessionIdleMs, publicUrl, corsOrigins }
}

const noteOperatorWrite: NoteOperatorWrite = (tx, { userId, operation, resource, record, tenant }) =>
  recordAudit(tx, { event: 'operator-wrote', userId, details: { operation, resource: resource.name, record, tenant } })

const noteOperatorRead = (records: RecordStore, { caller, resource, tenant = 'all' }: OperatorRead) =>
  records.transaction(authorOf(caller), (tx) =>
    recordAudit(tx, {
      event: 'operator-read',
      userId: caller.userId,
      details: { operation: 'read', resource: resource.name, tenant },
    }),
  )

type PolicyParts = Pick<ServedEngine, 'catalog' | 'settings' | 'clock' | 'records'> & Pick<EngineOptions, 'report'>

function auditedPolicy({ catalog, settings, clock, records, report }: PolicyParts): Policy {
  return auditReads(makePolicy(catalog, settings, clock), {
    catalog,
    settings,
    clock,
    note: (read) => void noteOperatorRead(records, read).catch((error) => report?.(`audit: ${error}`)),
  })
}

export type EngineOptions = {
  readonly clock?: Clock
  /** Receives messages for the operator. */
  readonly report?: (message: string) => void
  readonly watch?: StorageMetrics | undefined
  /** Called for each wrong password or other proof of identity. */
  readonly onLogInFailed?: (() => void) | undefined
  /** Whether a missing database may be created; absent, an existing one is opened. */
  readonly making?: CreateMode | undefined
  /** Makes ids in place of random ones: tests compare services. */
  readonly makeId?: MakeId | undefined
  /** Told of each request to others, for traces. */
  readonly outgoingEnded?: OutgoingListener | undefined
  /** Answers requests to others in place of the network: tests. */
  readonly answerOutgoing?: OutgoingTwin | undefined
  /** The cost of new password hashes; only tests set less than the usual one. */
  readonly passwordCost?: HashCost | undefined
  /** Missing or wrong settings of the application are an error here, not when they are read. */
  readonly needsSettings?: boolean
  /** Objects in place of services of the application, by name: tests give them. */
  readonly services?: ServiceTwins | undefined
}

function applicationSettingsOf(
  config: Config,
  { parts }: Catalog,
  { needsSettings = false }: EngineOptions,
): ApplicationSettings {
  const found = config.application(parts)
  const mistakes = [...findSettingsMistakes(parts), ...(needsSettings ? found.mistakes : [])]
  if (mistakes.length > 0)
    throw new StartError(
      `The settings of the application have mistakes:\n${mistakes.map((one) => `  ${one}`).join('\n')}`,
    )
  return found
}

/**
 * Opens the storage and migrates it to the current declarations. Throws `StartError` with one clear
 * reason; nothing has changed then.
 */
export async function openEngine(
  read: Config,
  declarations: readonly Declared[],
  options: EngineOptions = {},
): Promise<ServedEngine> {
  const { clock = systemClock, report, passwordCost, watch, onLogInFailed = () => undefined, making } = options
  const { makeId: given } = options
  const catalog = makeCatalog(declarations)
  const applicationSettings = applicationSettingsOf(read, catalog, options)
  const marks = identityTablesOf(catalog)
  if (read.accounts.mfa !== undefined && !marks?.factors)
    throw new StartError('MFA needs second factors: accounts({ …, factors: true }) has them')
  const config = { ...read, settings: settleRoles(read, catalog.roles) }
  const settings: CodeSettings = { ...config.settings, of: applicationSettings.of }
  const { services, close: closeServices } = holdServices({ parts: catalog.parts, settings, ...options })
  const heldMs = config.workers > 1 ? 0 : limits.snapshotHeldMs
  const totalsBytesMax = config.keepAnswers ? limits.keptTotalsBytesMax : 0
  const [{ passwordStrength: least }, { changesKept }, { costly }] = [config.accounts, config.work, limits]
  const weaknessOf = least === undefined || !marks ? undefined : await loadWeakness(least)
  const outgoing = makeOutgoing({ ...config.outgoing, ended: options.outgoingEnded, twin: options.answerOutgoing })
  const door = issuerDoorOf(outgoing)
  const federating = federatingOf(config, catalog, { report, door })
  const trusting = trustingOf(config, catalog, door)
  const losses = lossFileIn(config.dataDir, clock(), report)
  // For every kind of database: the folder has the data that migrations drop, and mails
  restrictFolderToOwner(config.dataDir, report ?? (() => undefined))
  const traces = making === 'fresh' ? backupsIn(config.backups) : []
  const checks = storedChecks({ catalog, settings: config.settings, now: new Date(clock()).toISOString() })
  const opening = { heldMs, report, totalsBytesMax, costly, losses, checks, watch, making, traces, changesKept }
  const storage = await openStorage(config.database, catalog, opening)
  const makeId = given ?? makeIds(clock)
  const guard = makeGuard((message) => report?.(message))
  const hookFetch = outgoing.guarded('hooks')
  const known = { catalog, settings, guard, identity: () => identity, judgesLong: weaknessOf !== undefined }
  const webhooks = await loadWebhookWrites({ ...known, storage, policy: () => policy })
  const steps = [
    ...hookSteps(catalog, { guard, clock, settings, services, fetchUntil: (signal) => fetchUntil(hookFetch, signal) }),
    ...checkSteps({ catalog, settings }),
    ...accountSteps(known),
    ...tenancySteps(known),
    ...auditOperators(known, noteOperatorWrite),
    ...historySteps(catalog),
    ...[effectSteps, tenantJobSteps, () => webhooks.steps].flatMap((steps) => steps(catalog)),
  ]
  const stagesOf = resolveStages(withFileSteps(catalog, steps))
  const authors = catalog.login?.resource
  const codeRecords = (tx: RecordTransaction, tenants?: FindCodeTenants) => boundRecords(codeEngine, tx, tenants)
  const records = makeRecordStore({ catalog, storage, clock, makeId, settings, stagesOf, authors, codeRecords })
  const identity: Identity = await identityOf(
    {
      catalog,
      storage: countingFailures(storage, onLogInFailed),
      records,
      guard,
      clock,
      mailsWaitingMax: limits.mailsWaitingMax,
      weaknessOf,
      passwordCost,
      federating,
      trusting,
      sources: callerMemberships(catalog),
      invitations: makeInvitations({ catalog, clock, settings }),
      ...identitySettings(config),
    },
    config,
    marks,
  )
  const policy = auditedPolicy({ catalog, settings, clock, records, report })
  const actions = new Map([...accountActions(known), ...revertActions(catalog), ...trashActions, ...webhooks.actions])
  if (hasGuardedApplication(catalog, actions)) guardNode()
  const performing = { catalog, settings, services, storage, records, clock, makeId, stagesOf, actions, guard, policy }
  const served: ServedEngine = { ...performing, identity, outgoing, closeServices }
  const codeEngine = codeEngineOf(served)
  return served
}
