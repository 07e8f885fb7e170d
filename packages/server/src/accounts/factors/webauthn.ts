/**
 * The package that checks passkeys. It parses certificates and keys of every kind, which a service
 * without passkeys does not load.
 */
import { loadOnce, type OptionalPackage } from '../../base/optional-package.ts'

export const webauthnPackage = { name: '@simplewebauthn/server' } satisfies OptionalPackage

const load = () => import('@simplewebauthn/server')
export const makeLoadWebauthn = () => loadOnce(load)
