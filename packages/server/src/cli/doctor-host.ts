/** What an examination looks at besides the database: the configuration, the disk, the secret, who may write, and versions. */
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { findNodeProblem } from '../create/node-version.ts'
import { ownVersion } from '../create/own-version.ts'
import { isOwnMachine } from '../network-settings.ts'
import type { Catalog } from '../resource/catalog.ts'
import { spaceTrend } from '../service/space-samples.ts'
import { type Findings, named } from '../storage/finding.ts'

const mebibyte = 1_048_576
const spaceBadBytes = 64 * mebibyte
const spaceWarnBytes = 1_024 * mebibyte
const spaceWarnShare = 0.05

function inMebibytes(bytes: number): string {
  return bytes >= 10_240 * mebibyte
    ? `${Math.round(bytes / mebibyte / 1_024)} GiB`
    : `${Math.round(bytes / mebibyte)} MiB`
}

/** The folder, or the nearest one above it that is there. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))
}

function inspectDisk({ add }: Findings, dataDir: string, nowMs: number): void {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(existing(dataDir))
  const [free, all] = [bavail * bsize, blocks * bsize]
  const { fullInDays } = spaceTrend(dataDir, free, nowMs)
  const trend =
    fullInDays === undefined
      ? ''
      : `; at the pace of the last days it is full in ${fullInDays} ${fullInDays === 1 ? 'day' : 'days'}`
  const what = `${inMebibytes(free)} of ${inMebibytes(all)} are free${trend}`
  const todo =
    'Make room, or move DATA_DIR to a larger disk: writes are refused when it is full, and nothing that was answered is lost'
  const isSmall = free < spaceWarnBytes && free < all * spaceWarnShare
  if (free < spaceBadBytes) add({ level: 'bad', check: 'disk', where: dataDir, what, todo })
  else if (isSmall || (fullInDays !== undefined && fullInDays < 14))
    add({ level: 'warn', check: 'disk', where: dataDir, what, todo })
  else add({ level: 'ok', check: 'disk', where: dataDir, what })
  if (files > 0 && ffree < 1_000)
    add({
      level: 'bad',
      check: 'disk',
      where: dataDir,
      what: `only ${ffree} more files can be made (inodes)`,
      todo: 'Remove what has many small files',
    })
}

/** Few different characters, or words that stand in examples: others guess it. */
function isGuessable(secret: string): boolean {
  return (
    new Set(secret).size < 12 ||
    /change.?me|secret.?secret|password|example|0123456789abcdef0123|abcdefghijklmnop/i.test(secret)
  )
}

function inspectSecret(
  { add }: Findings,
  { jwtSecret, dataDir, database }: Config,
  catalog: Catalog | undefined,
): void {
  if (catalog && !catalog.login) return
  const file = join(dataDir, 'jwt-secret')
  const where = jwtSecret === undefined ? file : 'JWT_SECRET'
  if (jwtSecret === undefined && database.kind.isShared) {
    add({
      level: 'warn',
      check: 'secret',
      where: 'JWT_SECRET',
      what: 'it is not set: a generated one lies in the database, and in every backup of it',
      todo: 'Set JWT_SECRET (openssl rand -base64 48)',
    })
    return
  }
  if (jwtSecret === undefined && !existsSync(file)) {
    add({
      level: 'warn',
      check: 'secret',
      where,
      what: 'it is gone, or was never made: the next start draws another, and every access token ends',
      todo: 'Put the file back from where you keep secrets; without it people stay logged in by their refresh tokens',
    })
    return
  }
  const secret = jwtSecret ?? (readFileSync(file, 'utf8').split('\n')[0] ?? '').trim()
  if (Buffer.byteLength(secret) < 32)
    add({
      level: 'bad',
      check: 'secret',
      where,
      what: 'it has less than 32 bytes: no server starts with it',
      todo: `Make another: ${jwtSecret === undefined ? `delete ${file}, and start` : 'openssl rand -base64 48'}`,
    })
  else if (isGuessable(secret))
    add({
      level: 'bad',
      check: 'secret',
      where,
      what: 'others can guess it: whoever does is ADMIN',
      todo:
        jwtSecret === undefined
          ? 'bindery secrets rotate --now'
          : 'Set another, openssl rand -base64 48, and end all sessions: bindery sessions end --all',
    })
  else add({ level: 'ok', check: 'secret', where, what: `${Buffer.byteLength(secret)} bytes, which nobody guesses` })
}

function inspectConfiguration({ add }: Findings, config: Config): void {
  for (const what of config.unknownVariables) {
    const [name = ''] = what.split(' ')
    add({ level: 'warn', check: 'configuration', where: name, what, todo: `Give it the right name, or unset ${name}` })
  }
  const isOpen = !isOwnMachine(config.host)
  if (isOpen && !config.rateLimits)
    add({
      level: 'warn',
      check: 'configuration',
      where: 'RATE_LIMIT',
      what: `it is not set, and others can reach ${config.host}: one client may take all there is`,
      todo: 'RATE_LIMIT=600/1m,auth=60/1m',
    })
  if (!config.cookieSecure && isOpen)
    add({
      level: 'warn',
      check: 'configuration',
      where: 'COOKIE_SECURE',
      what: 'it is false: refresh tokens may travel in the clear',
      todo: 'Unset it, and let a proxy end TLS',
    })
  if (config.corsOrigins.includes('*'))
    add({
      level: 'warn',
      check: 'configuration',
      where: 'CORS_ORIGINS',
      what: 'any origin may call with credentials',
      todo: 'Name the origins',
    })
  if (config.unknownVariables.length === 0)
    add({ level: 'ok', check: 'configuration', where: 'environment', what: 'every variable is understood' })
}

async function inspectOpenWrites({ add }: Findings, config: Config, catalog: Catalog): Promise<void> {
  const { openWrites } = await import('../service/start.ts')
  const { makePolicy } = await import('../policy/policy.ts')
  const open = openWrites({ catalog, policy: makePolicy(catalog, config.settings) })
  const isReached = !isOwnMachine(config.host) || config.trustProxy !== false
  if (open.length === 0)
    add({ level: 'ok', check: 'open writes', where: 'declarations', what: 'every write needs a credential' })
  else
    add({
      level: isReached ? 'warn' : 'ok',
      check: 'open writes',
      where: named(open, 8),
      what: `${isReached ? 'anyone' : 'anyone on this machine'} may do this without a credential`,
      ...(isReached && { todo: 'Where that is not meant, give the operation a rule in its declaration: access' }),
    })
}

function inspectVersions({ add }: Findings): void {
  const problem = findNodeProblem(process.versions.node)
  add({
    level: problem ? 'bad' : 'ok',
    check: 'versions',
    where: 'Node, Bindery',
    what: `${process.versions.node}, ${ownVersion()}`,
    ...(problem && { todo: problem }),
  })
}

/** All of these. */
export async function inspectHost(
  findings: Findings,
  config: Config,
  { catalog, nowMs }: { readonly catalog: Catalog | undefined; readonly nowMs: number },
): Promise<void> {
  await findings.part('configuration', 'environment', () => inspectConfiguration(findings, config))
  await findings.part('versions', 'Node', () => inspectVersions(findings))
  await findings.part('disk', config.dataDir, () => inspectDisk(findings, config.dataDir, nowMs))
  await findings.part('secret', config.dataDir, () => inspectSecret(findings, config, catalog))
  if (catalog) await findings.part('open writes', 'declarations', () => inspectOpenWrites(findings, config, catalog))
}
