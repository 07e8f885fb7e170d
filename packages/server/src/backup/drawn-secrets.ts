/**
 * What a service has drawn for itself, in a backup: what signs access tokens, and what seals what
 * is stored. A file each.
 */
import { type ConfiguredDatabase, type SecretName, secretFile, secretNames } from '../storage/database-kind.ts'

/** A list of secrets, or a key pair; both are far smaller. */
export const secretBytesMax = 65_536

/** By name; those that the service never drew are not there. */
export type SavedSecrets = { readonly [name in SecretName]?: string }

export function nameOfSecretFile(file: string): SecretName | undefined {
  return secretNames.find((name) => secretFile(name) === file)
}

export function entriesOf(secrets: SavedSecrets): [SecretName, string][] {
  return secretNames.flatMap((name): [SecretName, string][] => {
    const text = secrets[name]
    return text === undefined ? [] : [[name, text]]
  })
}

/** Those that are kept with the database. */
export async function findSecrets({ kind, setup }: ConfiguredDatabase): Promise<SavedSecrets> {
  const found: { [name in SecretName]?: string } = {}
  for (const name of secretNames) {
    const text = await kind.findSecret(setup, name)
    if (text !== undefined) found[name] = text
  }
  return found
}

/**
 * `wanted`: not where the configuration has one. Returns the names of those that are kept now;
 * another that was there before stays.
 */
export async function putBackSecrets(
  { kind, setup }: ConfiguredDatabase,
  secrets: SavedSecrets,
  wanted: readonly SecretName[],
): Promise<readonly SecretName[]> {
  const back: SecretName[] = []
  for (const [name, text] of entriesOf(secrets))
    if (wanted.includes(name) && (await kind.keepSecret(setup, text, name)) === text) back.push(name)
  return back
}
