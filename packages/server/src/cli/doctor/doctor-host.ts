/**
 * The doctor's findings outside of the database: the configuration, the disk, the secret, who may
 * write, and versions.
 */
import { existsSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { timestampOf } from '../../base/clock.ts'
import { printBytes } from '../../base/print-bytes.ts'
import type { Config } from '../../config.ts'
import { findNodeProblem } from '../../create/node-version.ts'
import { ownVersion } from '../../create/own-version.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { settingsType } from '../../resource/parts/define-settings.ts'
import { consoleParts } from '../../service/features.ts'
import { type RecordedStatement, readSlowStatements } from '../../service/metrics/slow-statements.ts'
import { spaceTrend } from '../../service/metrics/space-samples.ts'
import { isOwnMachine } from '../../settings/network-settings.ts'
import { secretFile } from '../../storage/database-kind.ts'
import { type Findings, named } from '../../storage/finding.ts'

const spaceBadBytes = 64_000_000
const spaceWarnBytes = 1_000_000_000
const spaceWarnShare = 0.05

/** The folder, or the nearest existing one above it. */
export function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))
}

function inspectDisk({ about }: Findings, dataDir: string, nowMs: number): void {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(existing(dataDir))
  const { bad, warn, ok } = about('disk', dataDir)
  const [free, all] = [bavail * bsize, blocks * bsize]
  const { fullInDays } = spaceTrend(dataDir, free, nowMs)
  const trend =
    fullInDays === undefined
      ? ''
      : `; at the pace of the last days it is full in ${fullInDays} ${fullInDays === 1 ? 'day' : 'days'}`
  const what = `${printBytes(free)} of ${printBytes(all)} are free${trend}`
  const todo =
    'Make room, or move DATA_DIR to a larger disk: a full disk refuses writes, but loses nothing that was answered'
  const isSmall = free < spaceWarnBytes && free < all * spaceWarnShare
  if (free < spaceBadBytes) bad(what, todo)
  else if (isSmall || (fullInDays !== undefined && fullInDays < 14)) warn(what, todo)
  else ok(what)
  if (files > 0 && ffree < 1_000)
    bad(`only ${ffree} more files can be made (inodes)`, 'Remove what has many small files')
}

function inspectConfiguration({ about }: Findings, config: Config, catalog: Catalog | undefined): void {
  const unknown = config.unknownVariables(catalog?.parts.of(settingsType) ?? [])
  for (const what of catalog ? config.application(catalog.parts).mistakes : []) {
    const [name = ''] = what.split(' ')
    about('configuration', name).bad(what, `Set ${name}, or ${name}_FILE: the server does not start without it`)
  }
  for (const what of unknown) {
    const [name = ''] = what.split(' ')
    about('configuration', name).warn(what, `Give it the right name, or unset ${name}`)
  }
  const isOpen = !isOwnMachine(config.host)
  if (isOpen && !config.rateLimits)
    about('configuration', 'RATE_LIMIT').warn(
      `it is not set, and others can reach ${config.host}: one client may take all there is`,
      'RATE_LIMIT=600/1m,auth=60/1m',
    )
  if (!config.cookieSecure && isOpen)
    about('configuration', 'COOKIE_SECURE').warn(
      'it is false: refresh tokens may travel in the clear',
      'Unset it, and let a proxy end TLS',
    )
  if (unknown.length === 0) about('configuration', 'environment').ok('every variable is understood')
}

async function inspectOpenWrites({ about }: Findings, config: Config, catalog: Catalog): Promise<void> {
  const { openWrites } = await import('../../policy/permissions.ts')
  const { makePolicy } = await import('../../policy/policy.ts')
  const open = openWrites({ catalog, policy: makePolicy(catalog, config.settings) })
  const isReached = !isOwnMachine(config.host) || config.trustProxy !== false
  if (open.length === 0) about('open writes', 'declarations').ok('every write needs a credential')
  else if (!isReached)
    about('open writes', named(open, 8)).ok('anyone on this machine may do this without a credential')
  else
    about('open writes', named(open, 8)).warn(
      'anyone may do this without a credential',
      'Where that is not meant, give the operation a rule in its declaration: access',
    )
}

function inspectVersions({ about }: Findings): void {
  const problem = findNodeProblem(process.versions.node)
  const { ok, bad } = about('versions', 'Node, Bindery')
  const what = `${process.versions.node}, ${ownVersion()}`
  if (problem) bad(what, problem)
  else ok(what)
}

const slowShown = 3

/** Statements that no declaration can improve: they read no table, or one of the service itself. */
function isOwn(statement: string): boolean {
  return !/\b(FROM|INTO|UPDATE)\b/i.test(statement) || /\bbindery_\w+/.test(statement)
}

/** Whether the plan reads or sorts more than it would with an index. */
function isUnindexed(plan: readonly string[] | undefined): boolean {
  return plan === undefined || plan.some((line) => /\bSCAN\b|Seq Scan|\bSort\b|TEMP B-TREE/.test(line))
}

function adviceOn({ statement, plan }: Pick<RecordedStatement, 'statement' | 'plan'>): string {
  if (statement === 'COMMIT') return 'The disk is slow or busy: see what else writes to it'
  const waited = 'it waited for the disk, a lock, or a database that was away: see what happened then'
  if (!isUnindexed(plan)) return `It reads by an index, so ${waited}`
  return "Find its request in the log (Slow statement), and see what that reads: bindery explain 'GET …'; then declare an index, or ask for less"
}

const shortened = (statement: string) => (statement.length > 160 ? `${statement.slice(0, 160)}…` : statement)

/** The slow statements of the last day (SLOW_MS). */
function inspectSlow({ about }: Findings, { dataDir, slowMs }: Config, nowMs: number): void {
  const found = readSlowStatements(dataDir, nowMs)
  if (found.length === 0) {
    const what = slowMs === undefined ? 'not measured: SLOW_MS is off' : `none took ${slowMs} ms in the last day`
    about('slow statements', 'database').ok(what)
    return
  }
  const held = found.filter(({ statement }) => statement !== 'COMMIT' && isOwn(statement))
  const slow = found.filter((one) => !held.includes(one))
  for (const { statement, ms, atMs, plan } of slow.slice(0, slowShown))
    about('slow statements', shortened(statement)).warn(
      `took up to ${ms} ms, last at ${timestampOf(atMs)}; its plan: ${plan ? named(plan, 4) : 'not known'}`,
      adviceOn({ statement, plan }),
    )
  if (slow.length > slowShown)
    about('slow statements', 'database').warn(
      `${slow.length - slowShown} more of the last day`,
      `They are in ${dataDir}/slow-statements.json, with their plans`,
    )
  const [outage] = held
  // A fast statement in this list points to an outage, not to a declaration.
  if (outage)
    about('slow statements', shortened(outage.statement)).ok(
      `was answered after ${outage.ms} ms at ${timestampOf(outage.atMs)}: the database or this machine was held up then. No index would help`,
    )
}

/** The secrets that sign and seal: features say how good they are. */
async function inspectSigning({ add }: Findings, config: Config, catalog: Catalog | undefined): Promise<void> {
  const { jwtSecret, signing, dataDir, database } = config
  const found = {
    jwtSecret,
    signing: signing && { isGiven: signing.privateKey !== undefined },
    isShared: database.kind.isShared,
    files: { secret: join(dataDir, secretFile('jwt secret')), key: join(dataDir, secretFile('jwt key')) },
  }
  for (const part of consoleParts) for (const finding of await part.inspectSigning(found, catalog)) add(finding)
}

/** Runs all of these checks. */
export async function inspectHost(
  findings: Findings,
  config: Config,
  { catalog, nowMs }: { readonly catalog: Catalog | undefined; readonly nowMs: number },
): Promise<void> {
  await findings.part('configuration', 'environment', () => inspectConfiguration(findings, config, catalog))
  await findings.part('versions', 'Node', () => inspectVersions(findings))
  await findings.part('disk', config.dataDir, () => inspectDisk(findings, config.dataDir, nowMs))
  await findings.part('secret', config.dataDir, () => inspectSigning(findings, config, catalog))
  await findings.part('slow statements', 'database', () => inspectSlow(findings, config, nowMs))
  if (catalog) await findings.part('open writes', 'declarations', () => inspectOpenWrites(findings, config, catalog))
}
