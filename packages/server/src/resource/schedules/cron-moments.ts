/**
 * The moments of a cron expression in a time zone, by the library `croner`. Hours and minutes that
 * are numbers, lists or ranges name local times. One that the clock skips comes at the end of the
 * gap, and one that it shows twice comes once. With `*` or a step in them the expression is an
 * interval: it skips the gap, and comes in both hours.
 */
import { isInstalled, loadNow, type OptionalPackage } from '../../base/optional-package.ts'

const cronPackage: OptionalPackage = { name: 'croner' }

/** The part of the library that is used here. It is loaded with the first schedule. */
type CronClock = {
  /** Strictly after. */
  nextRun(after: Date): Date | null
  /** Strictly before, the latest first. */
  previousRuns(count: number, before: Date): Date[]
}
type CronOptions = {
  readonly timezone: string
  readonly paused: true
  readonly mode: '5-or-6-parts'
  readonly fixedTimeRule: 'no-wildcard'
}
type CronerModule = { readonly Cron: new (expression: string, options: CronOptions) => CronClock }

export type CronMoments = {
  /** The first one after this time; undefined where none comes. */
  after(ms: number): number | undefined
  /** Those after `sinceMs`, up to and with `untilMs`, the latest first; at most so many. */
  between(sinceMs: number, untilMs: number, most: number): readonly number[]
}

/** `0 3 * * *`, or with seconds before it `30 0 3 * * *`. */
function formMistake(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/).length
  if (parts !== 5 && parts !== 6)
    return `"${expression}" has ${parts === 1 ? 'one part' : `${parts} parts`}: there are five, minute hour day month weekday, or six with seconds before them`
  return expression.includes('?') ? `"${expression}" has "?", which depends on the start of the server` : undefined
}

/** `CronPattern: Invalid value for minute: 61` → `Invalid value for minute: 61` */
const reasonOf = (error: unknown) => (error as Error).message.replace(/^\w+: /, '')

/** The moments, or why there are none. */
export function readCron(
  expression: string,
  zone: string,
): { readonly moments: CronMoments } | { readonly mistake: string } {
  const mistake = formMistake(expression)
  if (mistake !== undefined) return { mistake }
  if (!isInstalled(cronPackage.name))
    return { mistake: `needs a package that is not installed: npm install ${cronPackage.name}` }
  try {
    const moments = momentsOf(expression, zone)
    return moments.after(0) === undefined ? { mistake: `"${expression}" never comes` } : { moments }
  } catch (error) {
    return { mistake: `"${expression}": ${reasonOf(error)}` }
  }
}

/** For an expression and a zone that were checked. */
export function momentsOf(expression: string, zone: string): CronMoments {
  const { Cron } = loadNow<CronerModule>(cronPackage)
  const options = { timezone: zone, paused: true, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' } as const
  const clock = new Cron(expression, options)
  return {
    after: (ms) => clock.nextRun(new Date(ms))?.getTime(),
    between(sinceMs, untilMs, most) {
      const found: number[] = []
      let before = untilMs + 1000 // a moment is a whole second
      while (found.length < most) {
        const ms = clock.previousRuns(1, new Date(before))[0]?.getTime()
        if (ms === undefined || ms <= sinceMs) break
        if (ms <= untilMs) found.push(ms)
        before = ms
      }
      return found
    },
  }
}
