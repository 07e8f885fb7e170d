/** Sizes for people: `4.2 MB`. */
import { locale } from './words.ts'

const figures = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function printSize(value: number): string {
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3))
  return `${figures.format(value / 1000 ** at)} ${units[at]}`
}
