/** The result as a table that people read. */
import type { Line, Share } from './measure.ts'

export type Figure = {
  readonly name: string
  readonly title: string
  readonly contestant: string
  readonly value: string
}
export type Result = { readonly size: number; readonly lines: readonly Line[] }

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
  if (!share) return ['–', '–', '–', '–']
  if (share.perSecond === 0) return ['0', '–', 'none', '–']
  return [ratio(share.share), ratio(share.cpuShare), whole(share.perSecond), ms(share.p99Ms)]
}

export function linesTable({ lines }: Result): string {
  const names = [...new Set(lines.flatMap(({ shares }) => shares.map(({ contestant }) => contestant)))]
  const head = [
    'workload',
    'bytes',
    'bare /s',
    ...names.flatMap((name) => [`${name}: share`, 'by CPU', '/s', 'p99 ms']),
  ]
  const rows = lines.map(({ title, bytes, barePerSecond, shares }) => [
    title,
    whole(bytes),
    whole(barePerSecond),
    ...names.flatMap((name) => cells(shares.find(({ contestant }) => contestant === name))),
  ])
  return tableOf([head, ...rows])
}
