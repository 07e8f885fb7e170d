/**
 * The progress of a long command: a bar on a terminal, otherwise a line a second on stderr, so that a log shows it too. It uses only the
 * time and the counts: no timer keeps the process alive.
 */
import type { SingleBar } from 'cli-progress'

const lineEveryMs = 1000

export type Progress = {
  /** `rows` so far, and how much of `total` that is. */
  update(rows: number, done?: number): void
  /** Seconds since the start. */
  seconds(): number
  end(): void
}

type Options = {
  /** `import books` */
  readonly label: string
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

async function makeBar({ label, total }: Options): Promise<SingleBar> {
  const { default: progress } = await import('cli-progress')
  const numbers = '{rows} rows, {rate} rows/s'
  const format = total === undefined ? `${label} ${numbers}` : `${label} {bar} {percentage}%, ${numbers}, {left} left`
  const bar = new progress.SingleBar(
    { format, hideCursor: false, gracefulExit: false, clearOnComplete: true, barsize: 30, stream: process.stderr },
    progress.Presets.shades_classic,
  )
  bar.start(Math.max(1, total ?? 1), 0, { rows: 0, rate: 0, left: '?' })
  return bar
}

export async function startProgress(options: Options): Promise<Progress> {
  const { label, total, quiet } = options
  const startedMs = Date.now()
  let saidMs = startedMs
  const bar = !quiet && process.stderr.isTTY ? await makeBar(options) : undefined
  const seconds = () => (Date.now() - startedMs) / 1000

  function numbers(rows: number, done: number) {
    const elapsed = seconds()
    const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
    const left = share === undefined || share === 0 ? '?' : formatSeconds((elapsed / share) * (1 - share))
    return { rows, rate: Math.round(rows / Math.max(elapsed, 0.001)), share, left }
  }

  return {
    seconds,
    update(rows, done = 0) {
      if (quiet) return
      if (bar) return bar.update(Math.min(done, Math.max(1, total ?? 1)), numbers(rows, done))
      if (Date.now() - saidMs < lineEveryMs) return
      saidMs = Date.now()
      const { rate, share, left } = numbers(rows, done)
      const rest = share === undefined ? '' : `, ${Math.floor(share * 100)}%, ${left} left`
      process.stderr.write(`${label}: ${rows} rows, ${rate} rows/s${rest}\n`)
    },
    end() {
      bar?.stop()
    },
  }
}
