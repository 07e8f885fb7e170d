/** Leaves mails of an application in a transaction: they are sent after the commit. */

import { checkCallOptions } from '../../resource/code/call-options.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { isEmail } from '../../resource/fields/text.ts'
import { isTable, kindOf, type Members } from '../../resource/members.ts'
import type { DeclaredMail } from '../../resource/parts/define-mail.ts'
import { waitingValues } from '../../resource/parts/mail-values.ts'
import type { SendMail } from '../../resource/parts/part-handles.ts'
import { mailKindName, type WaitingMail } from '../../resource/parts/waiting-mail.ts'
import type { GuardedCall } from '../guard/guarded-code.ts'
import type { RecordTransaction } from '../write-context.ts'

const languagesLengthMax = 100

type LeftMail = {
  readonly to: string
  readonly language?: string | null
  readonly values?: Readonly<Record<string, unknown>>
}

const sentMembers = {
  to: () => undefined, // it may come from a caller, who is told what is wrong with it
  language: kindOf('a text, or null', (value) => value === null || typeof value === 'string'),
  values: kindOf('an object', isTable),
} satisfies Members<LeftMail>

/** `mail(…)`, as code inside a transaction is given it. */
export function boundMail(tx: Pick<RecordTransaction, 'leave' | 'catalog'>): SendMail {
  const send = async (mail: DeclaredMail, sent: LeftMail): Promise<void> => {
    tx.catalog.parts.mustList(mail)
    checkCallOptions(`mail(${mail.partName}, …)`, sent, sentMembers)
    const { to, language = null, values = {} } = sent
    if (typeof to !== 'string' || !isEmail(to)) throw fieldError('to', 'must be an email address')
    const languages = language?.slice(0, languagesLengthMax).toWellFormed() ?? null
    const payload: WaitingMail = { recipient: to, languages, values: waitingValues(mail.mail.values, values) }
    await tx.leave({ kind: mailKindName(mail.partName), payload })
  }
  return send as unknown as SendMail
}

/** The same for code under the guard, outside of which the engine does its own work. */
export function guardedMail(send: SendMail, { outside }: Pick<GuardedCall, 'outside'>): SendMail {
  return (mail, sent) => outside(() => send(mail, sent))
}
