/**
 * The doctor's checks of the secrets that sign access tokens and seal stored data: whether they
 * exist, and whether attackers could guess them.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { SigningFinding, SigningFound } from '../../command/console-part.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { parsePrivateKey } from '../../settings/signing-settings.ts'

const secretBytesMin = 32

/** Repeated characters, or words of examples: attackers guess such a secret. */
function isGuessable(secret: string): boolean {
  return (
    new Set(secret).size < 12 ||
    /change.?me|secret.?secret|password|example|0123456789abcdef0123|abcdefghijklmnop/i.test(secret)
  )
}

type Judged = Omit<SigningFinding, 'check'>

/** With a key pair the secret signs nothing, and still seals the keys of authenticators. */
function judgeSecret({ jwtSecret, signing, isShared, files: { secret: file } }: SigningFound): Judged {
  const where = jwtSecret === undefined ? file : 'JWT_SECRET'
  const seals = 'what it seals (authenticators)'
  if (jwtSecret === undefined && isShared)
    return {
      level: 'warn',
      where: 'JWT_SECRET',
      what: 'it is not set: a generated one lies in the database, and in every dump and encrypted backup of it',
      todo: 'Set JWT_SECRET (openssl rand -base64 48)',
    }
  if (jwtSecret === undefined && !existsSync(file))
    return {
      level: 'warn',
      where,
      what: `it is gone, or was never made: the next start draws another, and ${signing ? `${seals} is set up anew` : 'every access token ends'}`,
      todo: 'Put the file back from where you keep secrets; without it people stay logged in by their refresh tokens',
    }
  const secret = jwtSecret ?? (readFileSync(file, 'utf8').split('\n')[0] ?? '').trim()
  if (Buffer.byteLength(secret) < secretBytesMin)
    return {
      level: 'bad',
      where,
      what: `it has less than ${secretBytesMin} bytes: no server starts with it`,
      todo: `Make another: ${jwtSecret === undefined ? `delete ${file}, and start` : 'openssl rand -base64 48'}`,
    }
  if (!isGuessable(secret)) return { level: 'ok', where, what: `${Buffer.byteLength(secret)} bytes, hard to guess` }
  const another = `Set another, openssl rand -base64 48`
  const aside = signing ? `Move ${file} aside, and start: ${seals} is set up anew` : 'bindery secrets rotate --now'
  const ending = signing ? another : `${another}, and end all sessions: bindery sessions end --all`
  return {
    level: 'bad',
    where,
    what: `others can guess it: whoever does ${signing ? `opens ${seals}` : 'may do everything'}`,
    todo: jwtSecret === undefined ? aside : ending,
  }
}

/** Of `JWT_ALG=EdDSA`; undefined without. */
function judgeKey({ signing, isShared, files: { key: file } }: SigningFound): Judged | undefined {
  if (!signing) return undefined
  if (signing.isGiven) return { level: 'ok', where: 'JWT_PRIVATE_KEY', what: 'an Ed25519 key pair' }
  if (isShared)
    return {
      level: 'warn',
      where: 'JWT_PRIVATE_KEY',
      what: 'it is not set: a generated key pair lies in the database, and in every dump and encrypted backup of it',
      todo: 'Set JWT_PRIVATE_KEY (openssl genpkey -algorithm ed25519)',
    }
  if (!existsSync(file))
    return {
      level: 'warn',
      where: file,
      what: 'the key pair of access tokens is gone, or was never made: the next start makes another, and every access token ends',
      todo: 'Put the file back from where you keep secrets; without it clients refresh, and whoever checks tokens fetches /.well-known/jwks.json anew',
    }
  try {
    parsePrivateKey(readFileSync(file, 'utf8'))
  } catch {
    return {
      level: 'bad',
      where: file,
      what: 'it holds no Ed25519 key: no server starts with it',
      todo: `Put the file back from where you keep secrets, or delete ${file} and start: another is made, and every access token ends`,
    }
  }
  return { level: 'ok', where: file, what: 'an Ed25519 key pair' }
}

export function inspectSecrets(found: SigningFound, catalog: Catalog | undefined): readonly SigningFinding[] {
  if (catalog && !catalog.login) return []
  const key = judgeKey(found)
  return [judgeSecret(found), ...(key ? [key] : [])].map((one) => ({ check: 'secret', ...one }))
}
