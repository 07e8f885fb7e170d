/**
 * The texts of a mail of an application. `order-shipped.en.txt` has the subject in its first line,
 * and `order-shipped.en.html` beside it is the mail as HTML. Values stand in both as `{{name}}`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kebabOf } from '../words/names.ts'
import { didYouMean, findMeant } from '../words/nearest.ts'
import type { DeclaredPart } from './application-part.ts'

export type MailFileText = { readonly subject: string; readonly text: string; readonly html: string | undefined }
/** By language. */
export type MailFileTexts = ReadonlyMap<string, MailFileText>
type MailOfFiles = DeclaredPart & {
  readonly mail: {
    readonly values: Readonly<Record<string, unknown>>
    readonly folder?: string
    readonly language?: string
  }
}
type ReportFile = (where: string, problem: string) => void

export const mailFolder = './mails'
export const mailLanguage = 'en'
export const placeholder = /\{\{\s*(.*?)\s*\}\}/g

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name)
}

function parseMail(text: string): Pick<MailFileText, 'subject' | 'text'> | undefined {
  const [first = '', second = '', ...rest] = text.split('\n')
  const subject = /^Subject: (\S.*)$/.exec(first)?.[1]?.trim()
  return subject === undefined || second !== '' ? undefined : { subject, text: rest.join('\n') }
}

/** The mistakes in a text, besides its values. */
function htmlMistake(html: string): string | undefined {
  if (/<script\b/i.test(html)) return 'has a script, which no mail program runs'
  const bare = /=\s*(\{\{.*?\}\})/.exec(html)?.[1]
  return bare === undefined ? undefined : `needs quotation marks around ${bare}, since a value may have spaces`
}

type FoundFiles = { readonly languages: Map<string, { txt?: string; html?: string }>; readonly near: readonly string[] }

/** The files of the mail, by language. Reports those whose names have another form. */
function findFiles(folder: string, stem: string, report: ReportFile): FoundFiles | undefined {
  let all: readonly string[]
  try {
    all = readdirSync(folder).filter((name) => /\.(txt|html)$/.test(name))
  } catch {
    report('folder', `there is no folder ${folder}`)
    return undefined
  }
  const languages = new Map<string, { txt?: string; html?: string }>()
  for (const name of all.filter((one) => one.startsWith(`${stem}.`)).toSorted()) {
    const [, language, kind = ''] = /^\.([a-z]{2,3})\.(txt|html)$/.exec(name.slice(stem.length)) ?? []
    if (language === undefined) report(name, `must be called like ${stem}.en.txt or ${stem}.en.html`)
    else languages.set(language, { ...languages.get(language), [kind]: name })
  }
  return { languages, near: all }
}

type MailReading = {
  readonly stem: string
  /** The content of a file, whose values it checks. */
  read(name: string): string
  readonly report: ReportFile
}

/** The text of one language, or undefined where its files have none. */
function readLanguage(
  language: string,
  { txt, html }: { readonly txt?: string; readonly html?: string },
  { stem, read, report }: MailReading,
): MailFileText | undefined {
  const markup = html === undefined ? undefined : read(html)
  const wrong = markup === undefined ? undefined : htmlMistake(markup)
  if (html !== undefined && wrong) report(html, wrong)
  if (txt === undefined) {
    report(html as string, `needs a text beside it: ${stem}.${language}.txt`)
    return undefined
  }
  const parsed = parseMail(read(txt))
  if (!parsed) report(txt, 'begins with a line "Subject: …" and an empty one')
  return parsed && { ...parsed, html: markup }
}

/** Reads the texts, and reports the mistakes in them. */
export function readMailFiles(part: MailOfFiles, report: ReportFile = () => undefined): MailFileTexts {
  const { values, folder = mailFolder, language: own = mailLanguage } = part.mail
  const stem = kebabOf(part.partName)
  const texts = new Map<string, MailFileText>()
  const found = findFiles(join(part.folder, folder), stem, report)
  if (!found) return texts
  const known = Object.keys(values)
  const mentioned = new Set<string>()
  const read = (name: string) => {
    const text = readFileSync(join(part.folder, folder, name), 'utf8')
      .replace(/^\ufeff/, '')
      .replace(/\r\n/g, '\n')
    for (const one of namesIn(text)) {
      mentioned.add(one)
      if (!known.includes(one)) report(name, `{{${one}}} is no value of this mail${didYouMean(one, known)}`)
    }
    return text
  }
  for (const [language, files] of found.languages) {
    const text = readLanguage(language, files, { stem, read, report })
    if (text) texts.set(language, text)
  }
  if (!found.languages.get(own)?.txt)
    report('language', `there is no ${stem}.${own}.txt in ${folder}${findMeant(`${stem}.${own}.txt`, found.near)}`)
  for (const name of texts.size > 0 ? known : [])
    if (!mentioned.has(name)) report(`values.${name}`, 'no text mentions it')
  return texts
}
