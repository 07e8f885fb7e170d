/** Write steps for secret fields of every resource: they hash passwords and make tokens. */
import type { DraftValues, WorkStageInput } from '../../record/requested-write.ts'
import type { WriteStep } from '../../record/stages.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { prefixOf } from '../../resource/fields/secret.ts'
import type { Identity } from '../identity.ts'
import { makeKey } from '../tokens/token.ts'
import { checkChosenPasswords } from './chosen-password.ts'

/** How much of a key is shown for good. The other 37 characters have more than 220 random bits. */
const shownCharacters = 6

type SecretDeps = { readonly catalog: Catalog; readonly identity: () => Identity }

const isSent = ({ fields }: Resource, name: string) => fields[name]?.type.secret === 'sent'

/**
 * New tokens: their hashes go into `values`, the tokens themselves into the one answer that shows
 * them.
 */
export function makeTokens(
  { apiKey }: Pick<Catalog, 'apiKey'>,
  resource: Resource,
  values: DraftValues,
): Record<string, string> | undefined {
  let revealed: Record<string, string> | undefined
  for (const name of resource.storedNames) {
    const prefix = prefixOf(resource.fields[name] as Field)
    if (prefix === undefined) continue
    const { token, hash } = makeKey(prefix)
    values[name] = hash
    if (apiKey?.mark.prefix !== undefined && resource === apiKey.resource)
      values[apiKey.mark.prefix] = token.slice(0, prefix.length + shownCharacters)
    revealed = { ...revealed, [name]: token }
  }
  return revealed
}

function having({ resources }: Catalog, isOne: (resource: Resource, name: string) => boolean): Resource[] {
  return [...resources.values()].filter((resource) => resource.storedNames.some((name) => isOne(resource, name)))
}

type HashInput = Pick<WorkStageInput, 'resource' | 'values' | 'first'>

/** Passwords → their hashes. `first` runs before each hash, and may refuse. */
export async function hashSecrets(
  identity: Pick<Identity, 'hashPassword'>,
  { resource, values, first }: HashInput,
): Promise<void> {
  for (const name of resource.storedNames) {
    if (isSent(resource, name) && typeof values[name] === 'string')
      values[name] = await identity.hashPassword(values[name], first)
  }
}

/**
 * A hash takes 45 ms, so the record is judged before: a refusal costs nothing and takes as long
 * with a password as without.
 */
export function hashPasswords({ catalog, identity }: SecretDeps): WriteStep {
  return {
    name: 'passwords',
    resources: having(catalog, isSent),
    isCostly: ({ resource, values }) => Object.keys(values).some((name) => isSent(resource, name)),
    check: ({ resource, values, before }) => checkChosenPasswords(identity(), { resource, values, before }),
    async work(working) {
      await hashSecrets(identity(), working)
      return undefined
    },
  }
}

export function drawRecordTokens(catalog: Catalog): WriteStep {
  return {
    name: 'tokens of new records',
    resources: having(catalog, ({ fields }, name) => prefixOf(fields[name] as Field) !== undefined),
    work({ kind, resource, values, before }) {
      const isNew = kind === 'create' || (kind === 'import' && !before)
      return isNew ? makeTokens(catalog, resource, values) : undefined
    },
  }
}
