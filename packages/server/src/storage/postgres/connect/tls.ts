/**
 * `sslmode` as libpq defines it → the driver's options: plain text, encrypted, or encrypted with a
 * verified server name.
 */
import { readFileSync } from 'node:fs'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { fail } from '../../../base/environment.ts'
import type { ConnectionAddress, SslMode } from './libpq-address.ts'

/** False: in plain text. */
export type TlsOptions = false | ConnectionOptions

/**
 * Unlike libpq's `prefer`: encryption only where the server demands it, so that a server without
 * TLS costs no second connection.
 */
const otherwise: SslMode = 'allow'

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return fail('DATABASE_URL', `has an ${name} that cannot be read: ${(error as NodeJS.ErrnoException).code} ${path}`)
  }
}

function modeOf({ sslmode, ssl }: ConnectionAddress['parameters']): SslMode {
  if (ssl !== undefined) return ssl === 'true' || ssl === '1' ? 'verify-full' : 'disable'
  return (sslmode as SslMode | undefined) ?? otherwise
}

/**
 * Reads the certificate files. Returns the connection options in the order of the tries. Throws
 * `StartError`.
 */
export function tlsOf({ parameters }: ConnectionAddress): readonly TlsOptions[] {
  const { sslrootcert: root, sslcert, sslkey, sslpassword } = parameters
  const mode = modeOf(parameters)
  const own = {
    ...(sslcert && { cert: read('sslcert', sslcert) }),
    ...(sslkey && { key: read('sslkey', sslkey) }),
    ...(sslpassword && { passphrase: sslpassword }),
  }
  const authority = root && { ca: root === 'system' ? getCACertificates('system') : read('sslrootcert', root) }
  const known: TlsOptions = { ...own, ...authority, rejectUnauthorized: true, checkServerIdentity: () => undefined }
  const encrypted: TlsOptions = authority ? known : { ...own, rejectUnauthorized: false }
  switch (mode) {
    case 'disable':
      return [false]
    case 'allow':
      return [false, encrypted]
    case 'prefer':
      return [encrypted, false]
    case 'require':
      return [encrypted]
    case 'verify-ca':
      return [known]
    case 'verify-full':
      return [{ ...own, ...authority, rejectUnauthorized: true }]
  }
}
