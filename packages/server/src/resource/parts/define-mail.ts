/**
 * `defineMail`: a mail of an application. Its texts are files, one for each language, and the
 * fields of `values` say which values they mention.
 */
import type { Fields } from '../fields/field.ts'
import { fieldKind } from '../fields/field-kind.ts'
import { kindOf, type Members, mistakesIn, tableOf, zoneKind } from '../members.ts'
import { type DeclaredPart, type PartCheck, type PartType, partOf } from './application-part.ts'
import { type ReadMail, readMailFiles } from './mail-files.ts'
import { checkPlainFields } from './plain-fields.ts'
import { mailKindName } from './waiting-mail.ts'

export type MailDeclaration<V extends Fields = Fields> = {
  /**
   * Name → field. The texts mention each one as `{{name}}`. Sending a mail takes their stored
   * values: money in minor units. Amounts and times are printed for the reader's language.
   */
  readonly values: V
  /** The folder of the texts, from the file that declares the mail; `./mails` by default. */
  readonly folder?: string
  /** The language for readers of all languages that have no text; `en` by default. */
  readonly language?: string
  /** The time zone of the moments in it: `Europe/Berlin`; `UTC` by default. */
  readonly zone?: string
}

/** A mail as an application lists it. */
export type DeclaredMail<V extends Fields = Fields, N extends string = string> = DeclaredPart<N> & {
  readonly mail: MailDeclaration<V>
  /** Its texts, which are read once. */
  readMail(): ReadMail
}

const members = {
  values: tableOf(fieldKind),
  folder: kindOf('a path such as ./mails', (value) => typeof value === 'string' && /^\.{1,2}\//.test(value)),
  language: kindOf('a language such as en', (value) => typeof value === 'string' && /^[a-z]{2,3}$/.test(value)),
  zone: zoneKind,
} satisfies Members<MailDeclaration>

function checkMail(part: DeclaredMail, context: PartCheck): void {
  checkPlainFields(part.mail.values, context)
  for (const { where, problem } of part.readMail().mistakes) context.report(where, problem)
}

export const mailType: PartType<DeclaredMail> = {
  kind: 'mail',
  definedBy: 'defineMail',
  findFormMistakes: ({ mail }) => mistakesIn(mail, members, ['values']),
  workKind: mailKindName,
  check: checkMail,
}

/**
 * Declares a mail of an application: `defineMail({ name: 'orderShipped', values: { name: text({
 * required: true }), total: money() } })`. Its texts are `mails/order-shipped.en.txt` and the like,
 * each with a subject in its first line, and `.html` beside a text where the mail has HTML. Code
 * sends it by `mail(orderShipped, { to, values })`.
 */
export function defineMail<const N extends string, const V extends Fields = Record<never, never>>({
  name,
  ...mail
}: Omit<MailDeclaration<V>, 'values'> & {
  /** camelCase: the files of `orderShipped` are `order-shipped.en.txt` and the like. */
  readonly name: N
  readonly values?: V
}): DeclaredMail<V, N> {
  const part = { ...partOf(mailType, name), mail: { values: {} as V, ...mail } }
  let read: ReadMail | undefined
  return { ...part, readMail: () => (read ??= readMailFiles(part)) }
}
