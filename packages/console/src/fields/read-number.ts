/** Numbers as people write them: in English `1,234.5`, in German `1.234,5`. */
import { locale } from '../words/words.ts'

const parts = new Intl.NumberFormat(locale).formatToParts(-12345.6)
const partOf = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const group = literal(partOf('group'))
const decimal = literal(partOf('decimal') || '.')
const pattern = new RegExp(`^[-−]?(\\d+|\\d{1,3}(${group || ','}\\d{3})+)(${decimal}\\d+)?$`)
const scientific = /^-?\d(\.\d+)?e[+-]?\d{1,3}$/i
export const isScientific = (value: number): boolean => String(value).includes('e')
const plain = new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 20 })

/** The digits as JSON has them. Undefined for other texts: `1,5` is no number in English. */
export function readDigits(text: string): string | undefined {
  const typed = text.trim().replaceAll(/[\u00a0\u202f]/g, ' ')
  if (!pattern.test(typed)) return undefined
  const digits = typed.replaceAll(new RegExp(group || ',', 'g'), '').replace(new RegExp(decimal), '.')
  return digits.replace('−', '-')
}

export function readNumber(text: string): number | undefined {
  const typed = text.trim()
  const found = Number(scientific.test(typed) ? typed : (readDigits(typed) ?? Number.NaN))
  return Number.isFinite(found) ? found : undefined
}

/** Digits as a person writes them, all of them: `1234567.50`, in German `1234567,50`. */
export function printDigits(digits: string): string {
  return digits.replace('.', partOf('decimal') || '.')
}

/** Numbers with an exponent are as JSON has them: `1.5e-7`. */
export function printNumber(value: number): string {
  return isScientific(value) ? String(value) : plain.format(value)
}
