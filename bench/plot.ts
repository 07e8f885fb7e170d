/**
 * Plots of cost over size as SVG, without a library. Both axes are logarithmic, with a line for
 * each contestant. One picture has one workload, and one has all.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Share } from './measure.ts'
import type { Result } from './run-size.ts'

type Point = { readonly x: number; readonly y: number }
type Series = { readonly name: string; readonly points: readonly Point[]; readonly colour: string }

const colours = '#0b6e99 #c2571a #4c8c3f #8a4fa3 #b3261e #7a6a00 #2f6fd0 #a83279 #00756b #6b4f3a #555e68'.split(' ')
const frame = { width: 720, height: 420, left: 78, right: 160, top: 58, bottom: 56 }
const ink = '#24292f'
const faint = '#d8dee4'
const grey = '#57606a'

const power = (exponent: number) => 10 ** exponent
const sizeText = (size: number) => (size >= 1e6 ? `${size / 1e6} million` : size.toLocaleString('en'))
const timeText = (us: number) => (us >= 1e6 ? `${us / 1e6} s` : us >= 1000 ? `${us / 1000} ms` : `${us} µs`)
const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '')

type Scale = { readonly from: number; readonly to: number; at(value: number): number }

/** Whole powers of ten around the values. */
function scaleOf(values: readonly number[], start: number, end: number): Scale {
  const from = Math.floor(Math.log10(Math.min(...values)) + 1e-9)
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9))
  return { from, to, at: (value) => start + ((Math.log10(value) - from) / (to - from)) * (end - start) }
}

/** Powers of ten; over few of them, their doubles and fives too. */
function ticksOf({ from, to }: Scale): number[] {
  const steps = to - from > 2 ? [1] : [1, 2, 5]
  const powers = Array.from({ length: to - from + 1 }, (_, i) => power(from + i))
  return powers.flatMap((one) => steps.map((step) => step * one)).filter((tick) => tick <= power(to) * 1.001)
}

/** Names at the ends of the lines, moved apart where lines end together. */
function labels(ends: readonly { name: string; colour: string; y: number }[], x: number): string[] {
  let last = Number.NEGATIVE_INFINITY
  return ends
    .toSorted((a, b) => a.y - b.y)
    .map(({ name, colour, y }) => {
      last = Math.max(y, last + 15)
      return `<text x="${x}" y="${last.toFixed(1)}" dy="4" fill="${colour}" font-weight="600">${escapeText(name)}</text>`
    })
}

/**
 * `title` is what was asked; the vertical axis is microseconds of the server's processor a request.
 */
export function plot(title: string, series: readonly Series[]): string {
  const { width, height, left, right, top, bottom } = frame
  const points = series.flatMap((one) => one.points)
  const x = scaleOf(
    points.map((point) => point.x),
    left + 12,
    width - right,
  )
  const y = scaleOf(
    points.map((point) => point.y),
    height - bottom,
    top,
  )
  const grid = ticksOf(y).map((us) => {
    const at = y.at(us).toFixed(1)
    return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="${faint}"/><text x="${left - 10}" y="${at}" dy="4" text-anchor="end" fill="${grey}">${timeText(us)}</text>`
  })
  const sizes = [...new Set(points.map((point) => point.x))].map(
    (size) =>
      `<text x="${x.at(size).toFixed(1)}" y="${height - bottom + 22}" text-anchor="middle" fill="${grey}">${sizeText(size)}</text>`,
  )
  const lines = series.map(({ points: own, colour }) => {
    const path = own.map((point) => `${x.at(point.x).toFixed(1)},${y.at(point.y).toFixed(1)}`).join(' ')
    const dots = own.map(
      (point) =>
        `<circle cx="${x.at(point.x).toFixed(1)}" cy="${y.at(point.y).toFixed(1)}" r="3.5" fill="${colour}" stroke="#fff" stroke-width="1.5"/>`,
    )
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2.2" stroke-linejoin="round"/>${dots.join('')}`
  })
  const ends = series.map(({ name, colour, points: own }) => ({ name, colour, y: y.at(own.at(-1)?.y ?? 1) }))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="12.5">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="20" y="27" font-size="16" font-weight="650" fill="${ink}">${escapeText(title[0]?.toUpperCase() + title.slice(1))}</text>`,
    `<text x="20" y="45" fill="${grey}">processor time of the server for one request</text>`,
    ...grid,
    ...sizes,
    `<text x="${(left + width - right) / 2}" y="${height - 12}" text-anchor="middle" fill="${grey}">products in the table</text>`,
    ...lines,
    ...labels(ends, width - right + 12),
    '</svg>',
    '',
  ].join('\n')
}

type Measured = { readonly size: number; readonly share: Pick<Share, 'contestant' | 'cpuUs'> }

const seriesOf = (name: string, measured: readonly Measured[], index: number): Series => ({
  name,
  colour: colours[index % colours.length] as string,
  points: measured
    .filter(({ share }) => share.cpuUs > 0)
    .map(({ size, share }) => ({ x: size, y: share.cpuUs }))
    .toSorted((a, b) => a.x - b.x),
})

/** One file for each workload, and `all.svg` with Bindery alone. */
export function writePlots(folder: string, results: readonly Result[]): void {
  mkdirSync(folder, { recursive: true })
  const all = results.flatMap(({ size, lines }) =>
    lines.flatMap((line) => {
      const bare = { contestant: 'bare node:http', cpuUs: line.bareCpuUs }
      return [...line.shares, bare].map((share) => ({ size, line, share }))
    }),
  )
  const drawn = (series: readonly Series[]) => series.filter(({ points }) => points.length > 0)
  for (const [name, group] of Map.groupBy(all, ({ line }) => line.name)) {
    const contestants = [...Map.groupBy(group, ({ share }) => share.contestant)]
    const series = drawn(contestants.map(([contestant, measured], i) => seriesOf(contestant, measured, i)))
    if (series.length > 0) writeFileSync(join(folder, `${name}.svg`), plot(group[0]?.line.title ?? name, series))
  }
  const own = Map.groupBy(
    all.filter(({ share }) => share.contestant === 'Bindery'),
    ({ line }) => line.name,
  )
  const series = drawn([...own].map(([name, measured], i) => seriesOf(name, measured, i)))
  if (series.length > 0)
    writeFileSync(join(folder, 'all.svg'), plot('Bindery: cost of a request over the size of the table', series))
}
