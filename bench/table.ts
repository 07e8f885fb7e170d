/** Prints the result as a Markdown table. */
import type { Figure } from './figure.ts'
import type { Share } from './measure.ts'
import type { Result } from './run-size.ts'

const whole = (number: number) => Math.round(number).toLocaleString('en')
/** Two digits that count: 0.58, 0.0031. */
export const ratio = (number: number) =>
  number === 0 ? '0' : number >= 0.995 ? number.toFixed(2) : Number(number.toPrecision(2)).toString()
const ms = (number: number) => (number < 10 ? number.toFixed(2) : whole(number))

export function tableOf(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows
  const widths = head.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...rest.map(line)].join('\n')
}

function cells(share: Share | undefined): string[] {
  if (!share) return ['–', '–', '–', '–', '–']
  const first = share.firstPerSecond === undefined ? '–' : whole(share.firstPerSecond)
  if (share.perSecond === 0) return ['0', '–', 'none', '–', first]
  return [ratio(share.share), ratio(share.cpuShare), whole(share.perSecond), ms(share.p99Ms), first]
}

export function linesTable({ lines }: Result): string {
  const names = [...new Set(lines.flatMap(({ shares }) => shares.map(({ contestant }) => contestant)))]
  const head = [
    'workload',
    'bytes',
    'bare /s',
    ...names.flatMap((name) => [`${name}: share`, 'by CPU', '/s', 'p99 ms', 'first /s']),
  ]
  const rows = lines.map(({ title, bytes, barePerSecond, shares }) => [
    title,
    whole(bytes),
    whole(barePerSecond),
    ...names.flatMap((name) => cells(shares.find(({ contestant }) => contestant === name))),
  ])
  return tableOf([head, ...rows])
}

/** Figures of the same title share a line; each contestant has a column. */
export function figuresTable(figures: readonly Figure[]): string {
  const names = [...new Set(figures.map(({ contestant }) => contestant))]
  const rows = [...Map.groupBy(figures, ({ title }) => title)].map(([title, group]) => [
    title,
    ...names.map((name) => group.find(({ contestant }) => contestant === name)?.text ?? '–'),
  ])
  return tableOf([['what', ...names], ...rows])
}

/** How much later the slowest of a hundred comes at the largest size than at the smallest. */
export function growth(results: readonly Result[], name = 'varied'): string | undefined {
  const sorted = results.toSorted((a, b) => a.size - b.size)
  const p99Of = (result: Result | undefined) => result?.lines.find((line) => line.name === name)?.shares[0]?.p99Ms
  const [small, large] = [sorted[0], sorted.at(-1)]
  const [from, to] = [p99Of(small), p99Of(large)]
  if (!small || !large || small === large || !from || !to) return undefined
  const sizes = `${whole(large.size)} products over that at ${whole(small.size)}`
  return `p99 of varied lists at ${sizes}: ${ratio(to / from)} (${ms(to)} over ${ms(from)} ms)`
}
