/**
 * The generated secrets of a service in a backup: for signing access tokens, and for sealing stored
 * values. One file each.
 */
import { type ConfiguredDatabase, type SecretName, secretFile, secretNames } from '../storage/database-kind.ts'

/** A list of secrets, or a key pair; both are far smaller. */
export const secretBytesMax = 65_536

/** By name; secrets that the service never generated are absent. */
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

/** The secrets that are stored with the database. */
export async function findSecrets({ kind, setup }: ConfiguredDatabase): Promise<SavedSecrets> {
  const found: { [name in SecretName]?: string } = {}
  for (const name of secretNames) {
    const text = await kind.findSecret(setup, name)
    if (text !== undefined) found[name] = text
  }
  return found
}

/**
 * `wanted`: the secrets that the configuration lacks. Returns the names of those that were stored.
 * An existing different secret stays.
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
