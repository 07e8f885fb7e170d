/** Finds the user that an argument of the command line names. */
import { findRecord } from '../../command/console-records.ts'
import { UsageError } from '../../command/usage-error.ts'
import { ApiError, StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Represented } from '../../value/represent.ts'

/** Throws `StartError` in an application without users. */
export function loginOf({ catalog }: Engine): MarkedTable<LoginMark> {
  if (!catalog.login) throw new StartError('This application has no users')
  return catalog.login
}

/** By e-mail in any case, or by id. Throws `not-found`, and `UsageError` for an empty word. */
export async function getUser(engine: Engine, word: string): Promise<Represented> {
  const { resource, mark } = loginOf(engine)
  if (word === '') throw new UsageError(`the e-mail or id of the ${inSentence(resource.label)} is empty`)
  const where = word.includes('@') ? equal(mark.login, word) : equal(resource.idField, word.toLowerCase())
  const found = await findRecord(engine, resource, where)
  if (!found) throw new ApiError('not-found', `${resource.label} ${word} not found`)
  return found
}
