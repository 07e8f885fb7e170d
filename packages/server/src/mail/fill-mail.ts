/**
 * Fills the texts of a mail of an application with its values. In HTML they cannot become markup.
 */
import { escapeHtml } from '../base/escape-html.ts'
import { languagesOf } from '../base/languages.ts'
import type { DeclaredMail } from '../resource/parts/define-mail.ts'
import { type MailFileText, type MailFileTexts, mailLanguage, placeholder } from '../resource/parts/mail-files.ts'
import { printedValues, type WaitingValues } from '../resource/parts/mail-values.ts'
import { asMailText } from './mail-message.ts'

export type FilledMail = {
  readonly language: string
  readonly subject: string
  readonly text: string
  readonly html?: string
}
type MailFilling = {
  readonly texts: MailFileTexts
  readonly waiting: WaitingValues
  /** As `Accept-Language` has them. */
  readonly languages: string | null
  readonly currency: string
}

/** Invisible characters that could hide or turn words; line ends, tabs and parts of emoji stay. */
const misleading = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const shown = (text: string) =>
  text.replace(/\r\n?/g, '\n').replace(misleading, (one) => (one === '\n' || one === '\t' ? one : asMailText(one)))

function fill(text: string, values: Readonly<Record<string, string>>, print: (value: string) => string): string {
  return text.replace(placeholder, (_, name: string) => print(values[name] ?? ''))
}

export function fillMail({ mail }: DeclaredMail, { texts, waiting, languages, currency }: MailFilling): FilledMail {
  const { language: own = mailLanguage, zone = 'UTC', values: fields } = mail
  const language = languagesOf(languages).find((one) => texts.has(one)) ?? own
  const { subject, text, html } = texts.get(language) as MailFileText
  const values = printedValues(fields, waiting, { language, zone, currency })
  return {
    language,
    // One line: a line end would begin another header.
    subject: fill(subject, values, (value) => asMailText(value.replace(/\s+/g, ' '))),
    text: fill(text, values, shown),
    ...(html !== undefined && { html: fill(html, values, (value) => escapeHtml(shown(value))) }),
  }
}
