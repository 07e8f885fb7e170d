/** The language of the page, and its words. */
import { german } from './de.ts'
import { germanOfEngine } from './de-engine.ts'
import { germanSentence } from './de-server.ts'
import { english, type Word } from './en.ts'

const chosenKey = 'bindery.console.language'

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

/** Chromium has `en-US@posix` under `LANG=C`, which `Intl` refuses. */
function ownLanguage(): string {
  const [tag = 'en'] = navigator.language.split('@')
  return tag
}

const chosen = localStorage.getItem(chosenKey) ?? ownLanguage()
export const language: Language = chosen.startsWith('de') ? 'de' : 'en'
/** For dates and numbers: the region of the reader, where the language is the reader's own. */
export const locale = ownLanguage().startsWith(language) ? ownLanguage() : language

/** The page is loaded again, in the other language. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(chosenKey, next)
  location.reload()
}

const table: Readonly<Record<Word, string>> = language === 'de' ? german : english

/** A label inside a sentence: English writes `order` there, German `Auftrag`. */
export function inSentence(label: string): string {
  return language === 'de' || /^[A-Z]{2}/.test(label) ? label : label.slice(0, 1).toLowerCase() + label.slice(1)
}

/** `t('create', { label: 'Order' })` */
export function t(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  return table[word].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** A label of a resource that the engine declares. */
export function engineLabel(label: string): string {
  return language === 'de' ? (germanOfEngine[label] ?? label) : label
}

/** A sentence of the server, which writes English. */
export function serverSentence(message: string, status?: number): string {
  return language === 'de' ? germanSentence(message, status) : message
}
