/** A mail that waits has what its letter is about: one without it could never be sent, and its sender would hear nothing of that. */
import type { Resource } from '../resource/catalog.ts'
import { fieldError } from '../resource/fields/field.ts'
import { isBlank } from '../resource/fields/text.ts'
import { partsNeededBy } from '../resource/letter-names.ts'
import { consoleCredential } from '../storage/changes.ts'
import type { Values } from '../storage/storage.ts'
import type { Door } from './records.ts'

/**
 * Throws `bad-request` naming the field. `changed`: the names of what a change changes. An import at
 * the console is not asked: it may hold mails whose users have gone since, and these are dropped
 * when their turn comes.
 */
export function checkLetter(
  { catalog, author }: Door,
  resource: Resource,
  { row, changed }: { readonly row: Values; readonly changed?: readonly string[] },
): void {
  const { outgoingMail } = catalog
  if (resource !== outgoingMail?.resource || author.credential === consoleCredential) return
  const { mark } = outgoingMail
  if (changed && ![mark.letter, mark.owner, mark.detail].some((name) => changed.includes(name))) return
  const missing = partsNeededBy(row[mark.letter]).find((part) => row[mark[part]] === null || isBlank(row[mark[part]]))
  if (missing) throw fieldError(mark[missing], `is required: the letter ${row[mark.letter]} needs it`)
}
