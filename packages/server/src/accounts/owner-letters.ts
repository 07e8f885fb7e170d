/**
 * Mails to the owners of accounts, as rows that wait: a row is stored by the transaction that gives the reason, so a mail is sent when that is
 * committed, and only then. What the mail says, and the token in it, are made when it is sent.
 */

import type { OutgoingMailMark } from '../resource/accounts/identity-mark.ts'
import type { Scalar } from '../resource/condition.ts'
import type { LetterName } from '../resource/letter-names.ts'
import type { Values } from '../storage/storage.ts'

export type Letter = {
  readonly letter: LetterName
  readonly recipient: string
  /** The user whom it is about; absent where only an address was given. */
  readonly owner?: Scalar
  readonly detail?: string
  /** What `Accept-Language` said. */
  readonly languages?: string | undefined
}

/**
 * No token but a note among them: whoever made the account, or chose its address, has not shown that the address is theirs. Only a proof
 * removes it.
 */
export const unproven = 'unproven'

const languagesLengthMax = 100

/** The values of a row that waits. */
export function valuesOfLetter(mark: OutgoingMailMark, letter: Letter, now: string): Values {
  return {
    [mark.owner]: letter.owner ?? null,
    [mark.letter]: letter.letter,
    [mark.recipient]: letter.recipient,
    [mark.detail]: letter.detail ?? null,
    [mark.languages]: letter.languages?.slice(0, languagesLengthMax).toWellFormed() ?? null,
    [mark.tries]: 0,
    [mark.dueAt]: now,
  }
}
