/** Checks new passwords: refuses common ones, and those that the account's own texts contain. */

import { foldCase } from '../../base/fold.ts'
import type { DraftValues } from '../../record/requested-write.ts'
import type { Resource } from '../../resource/catalog.ts'
import { fieldError } from '../../resource/fields/field.ts'
import type { Identity } from '../identity.ts'

export type ChosenPassword = {
  readonly resource: Resource
  readonly values: DraftValues
  readonly before?: DraftValues | undefined
}

/** A hash made by this server; the password was checked before. */
const hashed = /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/

/** The texts of the record, and of each address the part before its `@`. */
function ownTexts({ resource, values, before }: ChosenPassword): Set<string> {
  const texts = resource.storedNames
    .filter((name) => resource.fields[name]?.type.isProse)
    .flatMap((name) => [before?.[name], values[name]])
    .filter((text) => typeof text === 'string')
  return new Set(texts.flatMap((text) => [text, text.replace(/@[^@]*$/, '')]).map((text) => foldCase(text.trim())))
}

type PasswordJudges = Pick<Identity, 'isCommonPassword' | 'weaknessOf'>

/** Checks passwords as sent, before they are hashed; ready hashes pass. Throws `bad-request`. */
export function checkChosenPasswords(identity: PasswordJudges, chosen: ChosenPassword): void {
  const { resource, values } = chosen
  for (const name of resource.storedNames) {
    const password = values[name]
    if (resource.fields[name]?.type.secret !== 'sent' || typeof password !== 'string') continue
    if (identity.isCommonPassword(password)) throw fieldError(name, 'is one of the commonest passwords; choose another')
    const own = ownTexts(chosen)
    if (own.has(foldCase(password.trim())))
      throw fieldError(name, "must not be the account's own e-mail or name; choose another")
    const weakness = hashed.test(password) ? undefined : identity.weaknessOf?.(password, [...own])
    if (weakness !== undefined) throw fieldError(name, weakness)
  }
}
