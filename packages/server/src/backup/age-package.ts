/**
 * Loads the package `age-encryption`, which encrypts backups so that only the holder of a key can
 * read them (age-encryption.org/v1).
 */
import { checkInstalled, loadOnce, type OptionalPackage } from '../base/optional-package.ts'

const agePackage = { name: 'age-encryption' } satisfies OptionalPackage

const loadAge = loadOnce(() => import('age-encryption'))

/**
 * `setting`: the setting that requires it, as the operator wrote it. Throws `StartError` when it is
 * not installed.
 */
export async function loadEncryption(setting: string): Promise<Awaited<ReturnType<typeof loadAge>>> {
  checkInstalled(agePackage, setting)
  return loadAge()
}
