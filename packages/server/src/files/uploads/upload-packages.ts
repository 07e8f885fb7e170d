/**
 * The optional packages of ways to upload. A field that holds files works without them, so the
 * start warns of those that are missing, and a request that needs one is refused.
 */
import { isInstalled, type OptionalPackage } from '../../base/optional-package.ts'
import { ApiError } from '../../errors.ts'

export const formPackage = { name: '@fastify/busboy' } satisfies OptionalPackage
export const tusPackage = { name: '@tus/server' } satisfies OptionalPackage

const ways = [
  [formPackage, 'Bodies of multipart/form-data'],
  [tusPackage, 'Uploads by tus, and so those of the client and the console,'],
] as const

/** A sentence for the operator for each that is missing. */
export function lackingWarnings(): readonly string[] {
  return ways
    .filter(([{ name }]) => !isInstalled(name))
    .map(([{ name }, what]) => `${what} are refused until a package is installed: npm install ${name}`)
}

/** Throws `unsupported-media-type`. */
export function checkTakesForms(): void {
  if (!isInstalled(formPackage.name))
    throw new ApiError(
      'unsupported-media-type',
      `This server takes no multipart/form-data: it lacks the package ${formPackage.name}`,
    )
}

/** Throws `not-found`. */
export function checkTakesTus(): void {
  if (!isInstalled(tusPackage.name))
    throw new ApiError('not-found', `This server takes no uploads by tus: it lacks the package ${tusPackage.name}`)
}
