/**
 * Loads the package that checks passkeys at first use. It parses certificates and keys of every
 * kind, which a service without passkeys does not need.
 */
import { loadOnce, type OptionalPackage } from '../../base/optional-package.ts'

export const webauthnPackage = { name: '@simplewebauthn/server' } satisfies OptionalPackage

const load = () => import('@simplewebauthn/server')
export const makeLoadWebauthn = () => loadOnce(load)
