/**
 * The result of `bindery doctor`: each finding has a level, a check, a place, a message and a
 * remedy. For people and for programs.
 */

/** `bad`: the service does not run, or loses data. `warn`: it will, or others can do harm. */
export type FindingLevel = 'ok' | 'warn' | 'bad'

export type Finding = {
  readonly level: FindingLevel
  /** The subject of the check, in a word or two: `integrity`, `clock`. */
  readonly check: string
  /** The file, table, variable or address. */
  readonly where: string
  readonly what: string
  /** The remedy, as a sentence with its command; absent where there is none. */
  readonly todo?: string
}

/** Takes findings as they come. */
export type Findings = {
  add(finding: Finding): void
  /** Adds a finding as one sentence: `about('disk', folder).bad('it is full', 'Make room')`. */
  about(check: string, where: string): Readonly<Record<FindingLevel, (what: string, todo?: string) => void>>
  /**
   * Runs one part of the inspection. A part that fails is a finding too, and the next one still
   * runs.
   */
  part(check: string, where: string, work: () => void | Promise<void>): Promise<void>
  readonly all: readonly Finding[]
}

const afterOthers =
  'See to what else is found first, then look again: bindery doctor --deep. If this alone is left, restore a backup into an empty place: bindery restore --help'

export function makeFindings(): Findings {
  const all: Finding[] = []
  const about: Findings['about'] = (check, where) => {
    const say = (level: FindingLevel) => (what: string, todo?: string) =>
      void all.push({ level, check, where, what, ...(todo !== undefined && { todo }) })
    return { ok: say('ok'), warn: say('warn'), bad: say('bad') }
  }
  return {
    all,
    about,
    add: (finding) => void all.push(finding),
    async part(check, where, work) {
      try {
        await work()
      } catch (error) {
        about(check, where).bad(`cannot be looked at: ${(error as Error).message}`, afterOthers)
      }
    },
  }
}

const ranks: readonly FindingLevel[] = ['ok', 'warn', 'bad']

/** The worst level of all, `ok` for none. */
export function worstOf(findings: readonly Finding[]): FindingLevel {
  return ranks[Math.max(0, ...findings.map(({ level }) => ranks.indexOf(level)))] as FindingLevel
}

/** `named(['a', 'b', 'c', 'd'], 3)` → `a, b, c and 1 more` */
export function named(names: readonly string[], most = 5): string {
  if (names.length <= most) return names.join(', ')
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`
}
