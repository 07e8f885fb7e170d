/**
 * Shows the progress of a long command: a bar on a terminal, otherwise a line a second on stderr,
 * for logs. It needs only the time and the counts, and no timer that keeps the
 * process alive.
 */
import { clearLine, cursorTo } from 'node:readline'

const lineEveryMs = 1000
const barEveryMs = 100
const barWidth = 30

export type Progress = {
  /** `rows` so far, and how much of `total` is done. */
  update(rows: number, done?: number): void
  /** Seconds since the start. */
  seconds(): number
  end(): void
}

type ProgressOptions = {
  /** `import books` */
  readonly label: string
  /** The name of its steps; `rows` unless said. */
  readonly unit?: string
  /** In the unit of `done` (bytes or rows); undefined when it is unknown. */
  readonly total: number | undefined
  readonly quiet: boolean
}

/** `formatSeconds(75)` → `1m 15s` */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`
}

type ProgressNumbers = {
  readonly rows: number
  readonly unit: string
  readonly rate: number
  readonly share: number | undefined
  readonly left: string
}

/** `import books ███░░░ 50%, 10 rows, 5 rows/s, 2s left` */
function printBar(label: string, { rows, unit, rate, share, left }: ProgressNumbers): string {
  const numbers = `${rows} ${unit}, ${rate} ${unit}/s`
  if (share === undefined) return `${label} ${numbers}`
  const full = Math.round(share * barWidth)
  return `${label} ${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${Math.floor(share * 100)}%, ${numbers}, ${left} left`
}

/**
 * One line of a terminal, which each update overwrites. A line that is wider than the terminal
 * could not be overwritten.
 */
function makeBar(label: string) {
  let drawnMs = 0
  const { stderr } = process
  const clear = () => {
    cursorTo(stderr, 0)
    clearLine(stderr, 0)
  }
  return {
    draw(numbers: ProgressNumbers) {
      if (Date.now() - drawnMs < barEveryMs) return
      drawnMs = Date.now()
      clear()
      stderr.write(printBar(label, numbers).slice(0, stderr.columns - 1))
    },
    clear,
  }
}

export function startProgress({ label, unit = 'rows', total, quiet }: ProgressOptions): Progress {
  const startedMs = Date.now()
  let saidMs = startedMs
  const bar = !quiet && process.stderr.isTTY ? makeBar(label) : undefined
  const seconds = () => (Date.now() - startedMs) / 1000

  function numbers(rows: number, done: number): ProgressNumbers {
    const elapsed = seconds()
    const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
    const left = share === undefined || share === 0 ? '?' : formatSeconds((elapsed / share) * (1 - share))
    return { rows, unit, rate: Math.round(rows / Math.max(elapsed, 0.001)), share, left }
  }

  return {
    seconds,
    update(rows, done = 0) {
      if (quiet) return
      if (bar) return bar.draw(numbers(rows, done))
      if (Date.now() - saidMs < lineEveryMs) return
      saidMs = Date.now()
      const { rate, share, left } = numbers(rows, done)
      const rest = share === undefined ? '' : `, ${Math.floor(share * 100)}%, ${left} left`
      process.stderr.write(`${label}: ${rows} ${unit}, ${rate} ${unit}/s${rest}\n`)
    },
    end() {
      bar?.clear()
    },
  }
}
