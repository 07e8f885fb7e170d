/**
 * The texts of mails: one file for each letter and language, such as `reset.en.txt`. A file of the
 * application replaces the server's file of that name, or adds a language. The first line is the
 * subject.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { languagesOf } from '../base/languages.ts'
import { StartError } from '../errors.ts'
import { lineAt, noSubject, parseMail } from '../resource/parts/mail-files.ts'
import { asMailText } from './mail-message.ts'

const ownFolder = join(import.meta.dirname, 'texts')
const usualLanguage = 'en'

export type MailText = { readonly subject: string; readonly text: string }
/** The values for the blanks of a text: `{{link}}`. */
export type TextValues = {
  readonly link?: string
  readonly address?: string
  readonly tenant?: string
  readonly keys?: string
  readonly endpoint?: string
  readonly minutes?: number
  readonly days?: number
}

export type MailTexts = {
  /** The languages of a letter. */
  languages(letter: string): readonly string[]
  /** `languages`: as `Accept-Language` has them. */
  write(letter: string, languages: string | null, blanks: TextValues): MailText & { readonly language: string }
}

/** The placeholders that the texts of each letter may have, and whether the link is required. */
export type TextRequirements<L extends string = string> = Readonly<
  Record<L, { readonly blanks: readonly (keyof TextValues)[]; readonly needsLink: boolean }>
>

type MailTemplate = MailText & { readonly file: string }

function parseText(file: string): MailTemplate {
  const parsed = parseMail(readFileSync(file, 'utf8').replace(/\r\n/g, '\n'))
  if (!parsed) throw new StartError(`${file}:1: ${noSubject}`)
  return { file, ...parsed }
}

function checkText({ file, subject, text }: MailTemplate, { blanks, needsLink }: TextRequirements[string]): void {
  const all = `${subject}\n\n${text}`
  for (const { 0: whole, 1: name = '', index } of all.matchAll(/\{\{(.*?)\}\}/g)) {
    if ((blanks as readonly string[]).includes(name)) continue
    throw new StartError(
      `${file}:${lineAt(all, index)}: ${whole} is nothing that this mail knows; there are ${blanks.map((one) => `{{${one}}}`).join(', ') || 'none'}`,
    )
  }
  if (needsLink && !text.includes('{{link}}'))
    throw new StartError(`${file}: has no {{link}}, without which the mail is of no use`)
}

/**
 * The texts of one folder: letter → language → text. Throws `StartError` for a file that is no text
 * of a letter.
 */
function readFolder(folder: string, wanted: TextRequirements): Map<string, Map<string, MailTemplate>> {
  const found = new Map<string, Map<string, MailTemplate>>()
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith('.txt')) continue
    const [, letter = '', language = ''] = /^([a-z-]+)\.([a-z]{2,3})\.txt$/.exec(name) ?? []
    const facts = Object.hasOwn(wanted, letter) ? wanted[letter] : undefined
    const file = join(folder, name)
    if (!facts)
      throw new StartError(
        `${file}: is the text of no mail; there are ${Object.keys(wanted).join(', ')}, such as reset.en.txt`,
      )
    const text = parseText(file)
    checkText(text, facts)
    found.set(letter, (found.get(letter) ?? new Map()).set(language, text))
  }
  return found
}

function fill(text: string, blanks: TextValues): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => asMailText(String(blanks[name as keyof TextValues] ?? '')))
}

/**
 * Reads every text at once. `folder`: the application's own texts. Throws `StartError` naming the
 * file.
 */
export function readMailTexts(folder: string | undefined, wanted: TextRequirements): MailTexts {
  const own = readFolder(ownFolder, wanted)
  const theirs =
    folder !== undefined && existsSync(folder)
      ? readFolder(folder, wanted)
      : new Map<string, Map<string, MailTemplate>>()
  const textsOf = (letter: string) => new Map([...(own.get(letter) ?? []), ...(theirs.get(letter) ?? [])])
  return {
    languages: (letter) => [...textsOf(letter).keys()],
    write(letter, languages, blanks) {
      const known = textsOf(letter)
      const language = languagesOf(languages).find((one) => known.has(one)) ?? usualLanguage
      const { subject, text } = known.get(language) as MailTemplate
      return { language, subject: fill(subject, blanks), text: fill(text, blanks) }
    },
  }
}
