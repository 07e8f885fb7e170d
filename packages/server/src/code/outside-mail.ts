/** Mails outside of a transaction: each is left in a transaction of its own. */
import type { Engine } from '../perform/engine.ts'
import { boundMail } from '../record/mails/leave-mail.ts'
import type { SendMail } from '../resource/parts/part-handles.ts'
import type { Author } from '../storage/changes.ts'

export function outsideMail({ records }: Pick<Engine, 'records'>, author: Author): SendMail {
  return (mail, sent) => records.transaction(author, (tx) => boundMail(tx)(mail, sent))
}
