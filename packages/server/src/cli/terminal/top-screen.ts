/** Prints a status as text: a screen for a terminal, or one line. */
import { stripVTControlCharacters } from 'node:util'
import { printBytes } from '../../base/print-bytes.ts'
import { cellOf, makeTable } from '../../command/table.ts'
import { routesSeconds, type Status, type StatusPoint } from '../../observe/status.ts'
import { consoleParts } from '../../service/features.ts'

const clear = '\u001b[H\u001b[J'
const bars = '▁▂▃▄▅▆▇█'

function printNumber(value: number): string {
  if (value > 0 && value < 0.05) return '< 0.1'
  return (value >= 100 ? Math.round(value) : Math.round(value * 10) / 10).toLocaleString('en')
}

function printMs(ms: number | null): string {
  if (ms === null) return '-'
  return ms >= 1000 ? `${printNumber(ms / 1000)} s` : `${printNumber(ms)} ms`
}

/** `93784` → `1 d 2 h` */
function printTime(seconds: number | null): string {
  if (seconds === null) return 'none known'
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first === -1 ? parts.slice(3) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

/** The latest values as a row of bars. */
function spark(series: readonly StatusPoint[], width: number): string {
  const values = series.slice(-width).map(({ requests }) => requests)
  const most = Math.max(...values, 1e-9)
  return values.map((value) => bars[Math.min(bars.length - 1, Math.floor((value / most) * bars.length))]).join('')
}

function keptShare({ kept }: Status): string {
  const { found = 0, renewed = 0, missed = 0 } = kept
  const all = found + renewed + missed
  return all === 0 ? '-' : `${Math.round((100 * (found + renewed)) / all)} %`
}

function databaseParts({ database, diskFreeBytes }: Status): string[] {
  const bytes = Object.entries(database.bytes).map(([part, size]) => `${part} ${printBytes(size)}`)
  return [...bytes, ...(diskFreeBytes === null ? [] : [`${printBytes(diskFreeBytes)} free on the disk`])]
}

/** Figures of a shared database. */
function poolParts({ database: { pool, lagSeconds } }: Status): string[] {
  const counts = Object.entries(pool).map(([state, count]) => `${printNumber(count)} ${state}`)
  return [...counts, ...(lagSeconds === null ? [] : [`change log ${printMs(lagSeconds * 1000)} behind`])]
}

function budgetParts({ budgets }: Status): string[] {
  const used = budgets.filter(({ used: some }) => some > 0)
  if (used.length === 0) return ['none in use']
  return used.map(({ name, used: some, limit }) => `${name} ${Math.ceil((100 * some) / limit)} %`)
}

function refusedParts(status: Status): string[] {
  const { refusals, database } = status
  const figures = consoleParts.map((part) => part.figures(status))
  const counts = [
    ...Object.entries(refusals).filter(([, count]) => count > 0),
    ...figures.flatMap(({ refused }) => refused),
    ['slow statements', database.slowStatements] as const,
    ...figures.flatMap(({ waiting }) => waiting),
  ]
  return counts.map(([name, count]) => `${name} ${printNumber(count)}`)
}

const indent = ' '.repeat(11)

/**
 * `wrap('budgets', ['a 1 %', 'b 2 %'], 80)`: parts with commas between, in as many lines as they
 * need.
 */
function wrap(label: string, parts: readonly string[], columns: number): string[] {
  const lines: string[] = []
  let line = label.padEnd(indent.length)
  for (const [i, part] of parts.entries()) {
    const text = i === parts.length - 1 ? part : `${part}, `
    if (line.length > indent.length && (line + text).trimEnd().length > columns) {
      lines.push(line.trimEnd())
      line = indent
    }
    line += text
  }
  return [...lines, line]
}

function headOf(status: Status, columns: number): string[] {
  const { now, version, workers, uptimeSeconds } = status
  const name = `Bindery ${version}, up ${printTime(uptimeSeconds)}${workers > 1 ? `, ${workers} workers` : ''}`
  if (!now) return [name, '', 'The next look has the first rates']
  const { requests, errors, refused, p50, p95, p99, loop, cpu, memory, connections, writes } = now
  const pool = poolParts(status)
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['requests', [`${printNumber(requests)} a second`, ...counted({ errors, refused, writes })]],
    [
      'answered',
      [`half in ${printMs(p50)}`, `95 % in ${printMs(p95)}`, `99 % in ${printMs(p99)}`, `kept ${keptShare(status)}`],
    ],
    [
      'process',
      [
        `cpu ${printNumber(cpu * 100)} %`,
        `memory ${printBytes(memory)}`,
        `event loop ${printMs(loop)} late`,
        `connections ${printNumber(connections)}`,
      ],
    ],
    ['database', databaseParts(status)],
    ...(pool.length > 0 ? [['pool', pool] as const] : []),
    ['backup', [printTime(status.backupAgeSeconds)]],
    ['budgets', budgetParts(status)],
    ['so far', refusedParts(status)],
  ]
  return [
    [name, now.at].join(name.length + now.at.length + 2 > columns ? '\n' : '  '),
    '',
    ...rows.flatMap(([label, parts]) => wrap(label, parts, columns)),
    `${indent}${spark(status.series, Math.max(10, columns - indent.length - 1))}`,
  ]
}

function counted(numbers: Readonly<Record<string, number>>): string[] {
  return Object.entries(numbers).map(([name, value]) => `${name} ${printNumber(value)}`)
}

function shorten(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text
}

/**
 * Cuts the line at so many visible columns. A cut line loses its style, because its end code would
 * be cut off too.
 */
function cut(line: string, columns: number): string {
  const shown = stripVTControlCharacters(line)
  return shown.length <= columns ? line : shown.slice(0, columns)
}

type ScreenSize = { readonly columns?: number; readonly rows?: number }

/** The widest that the four columns of numbers get, with their separators. */
const numbersWidth = 40

/** Prints the screen that replaces the shown one, and fits into the terminal. */
export function printScreen(status: Status, { columns = 80, rows = 24 }: ScreenSize): string {
  const head = headOf(status, columns)
  const routes = status.routes.slice(0, Math.max(3, rows - head.length - 4)).map(({ method, route, ...one }) => ({
    route: shorten(`${method} ${route}`, Math.max(16, columns - numbersWidth)),
    'a second': printNumber(one.requests),
    errors: printNumber(one.errors),
    mean: printMs(one.mean),
    '95 %': printMs(one.p95),
  }))
  const table = makeTable(['route', 'a second', 'errors', 'mean', '95 %']).print(routes)
  const shown = routes.length > 0 ? `in the last ${routesSeconds} s\n${table.trimEnd()}` : 'no requests'
  const lines = [...head, '', shown].join('\n').split('\n')
  return `${clear}${lines.map((line) => cut(line, columns)).join('\n')}\n`
}

/** One sample in one line, for a file or `grep`. */
export function printLine(status: Status): string {
  const { now } = status
  if (!now) return ''
  const [slowest] = status.routes
  const values: Readonly<Record<string, unknown>> = {
    requests: now.requests,
    errors: now.errors,
    refused: now.refused,
    p50: now.p50,
    p95: now.p95,
    p99: now.p99,
    cpu: now.cpu,
    memory: now.memory,
    connections: now.connections,
    writes: now.writes,
    database: Object.values(status.database.bytes).reduce((sum, size) => sum + size, 0),
    free: status.diskFreeBytes,
    backup: status.backupAgeSeconds,
    slowest: slowest && `"${slowest.method} ${slowest.route}"`,
  }
  const text = Object.entries(values).map(([name, value]) => `${name}=${cellOf(value)}`)
  return `${now.at} ${text.join(' ')}\n`
}
