/** Sizes as people read them, in powers of a thousand. */

/** `1234567` → `1.2 MB` */
export function printBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`
}

const powers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 }

/** `20 MB`, `512kB`, `1.5 GB` or `300 bytes` → bytes; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6}(?:\.\d{1,3})?) ?(?:([kmgt])b|bytes?|b)$/i.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const bytes = Math.round(Number(digits) * 1000 ** (powers[(unit ?? '').toLowerCase()] as number))
  return bytes > 0 ? bytes : undefined
}
