/**
 * The texts of a mail of an application. `order-shipped.en.txt` has the subject in its first line,
 * and `order-shipped.en.html` beside it is the mail as HTML. Values stand in both as `{{name}}`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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
/** `where`: `mails/order-shipped.en.txt:3`, from the folder of the process, or a member. */
export type MailMistake = { readonly where: string; readonly problem: string }
export type ReadMail = { readonly texts: MailFileTexts; readonly mistakes: readonly MailMistake[] }
type Report = (where: string, problem: string) => void

export const mailFolder = './mails'
export const mailLanguage = 'en'
export const placeholder = /\{\{\s*(.*?)\s*\}\}/g

/** `3` for a place in the third line. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** The problem of a file that `parseMail` does not take. */
export const noSubject = 'begins with a line "Subject: …" and an empty one'

/** The file of a mail, with line feeds alone; undefined where its first lines are wrong. */
export function parseMail(text: string): Pick<MailFileText, 'subject' | 'text'> | undefined {
  const [first = '', second = '', ...rest] = text.split('\n')
  const subject = /^Subject: (\S.*)$/.exec(first)?.[1]?.trim()
  return subject === undefined || second !== '' ? undefined : { subject, text: rest.join('\n') }
}

/** The mistake in HTML, besides its values, and its place. */
function htmlMistake(html: string): readonly [index: number, problem: string] | undefined {
  const script = html.search(/<script\b/i)
  if (script !== -1) return [script, 'has a script, which no mail program runs']
  const bare = /=\s*(\{\{.*?\}\})/.exec(html)
  return bare === null
    ? undefined
    : [bare.index, `needs quotation marks around ${bare[1]}, since a value may have spaces`]
}

type FoundFiles = { readonly languages: Map<string, { txt?: string; html?: string }>; readonly near: readonly string[] }
type MailFolder = { readonly folder: string; readonly stem: string; readonly report: Report }

/** From the folder of the process, as editors and terminals open it. */
function pathOf({ folder }: Pick<MailFolder, 'folder'>, name: string): string {
  return relative(process.cwd(), join(folder, name))
}

/** The files of the mail, by language. Reports those whose names have another form. */
function findFiles(place: MailFolder): FoundFiles | undefined {
  const { folder, stem, report } = place
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
    if (language === undefined) report(pathOf(place, name), `must be called like ${stem}.en.txt or ${stem}.en.html`)
    else languages.set(language, { ...languages.get(language), [kind]: name })
  }
  return { languages, near: all }
}

type MailReading = MailFolder & {
  /** The content of a file, whose values it checks. */
  read(name: string): string
}

/** The text of one language, or undefined where its files have none. */
function readLanguage(
  language: string,
  { txt, html }: { readonly txt?: string; readonly html?: string },
  reading: MailReading,
): MailFileText | undefined {
  const { stem, read, report } = reading
  const markup = html === undefined ? undefined : read(html)
  const wrong = markup === undefined ? undefined : htmlMistake(markup)
  if (wrong) report(`${pathOf(reading, html as string)}:${lineAt(markup as string, wrong[0])}`, wrong[1])
  if (txt === undefined) {
    report(pathOf(reading, html as string), `needs a text beside it: ${stem}.${language}.txt`)
    return undefined
  }
  const parsed = parseMail(read(txt))
  if (!parsed) report(`${pathOf(reading, txt)}:1`, noSubject)
  return parsed && { ...parsed, html: markup }
}

/** Reads the texts, and finds the mistakes in them. */
export function readMailFiles(part: MailOfFiles): ReadMail {
  const { values, folder: declared = mailFolder, language: own = mailLanguage } = part.mail
  const mistakes: MailMistake[] = []
  const report: Report = (where, problem) => void mistakes.push({ where, problem })
  const stem = kebabOf(part.partName)
  const place = { folder: join(part.folder, declared), stem, report }
  const texts = new Map<string, MailFileText>()
  const found = findFiles(place)
  if (!found) return { texts, mistakes }
  const known = Object.keys(values)
  const mentioned = new Set<string>()
  const read = (name: string) => {
    const text = readFileSync(join(place.folder, name), 'utf8')
      .replace(/^\ufeff/, '')
      .replace(/\r\n/g, '\n')
    for (const { 1: one = '', index } of text.matchAll(placeholder)) {
      mentioned.add(one)
      if (known.includes(one)) continue
      const where = `${pathOf(place, name)}:${lineAt(text, index)}`
      report(where, `{{${one}}} is no value of this mail${didYouMean(one, known)}`)
    }
    return text
  }
  for (const [language, files] of found.languages) {
    const text = readLanguage(language, files, { ...place, read })
    if (text) texts.set(language, text)
  }
  if (!found.languages.get(own)?.txt)
    report('language', `there is no ${stem}.${own}.txt in ${declared}${findMeant(`${stem}.${own}.txt`, found.near)}`)
  for (const name of texts.size > 0 ? known : [])
    if (!mentioned.has(name)) report(`values.${name}`, 'no text mentions it')
  return { texts, mistakes }
}
