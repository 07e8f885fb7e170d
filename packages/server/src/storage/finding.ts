/**
 * What an examination of a running place finds: how bad it is, what it is, where, and what to do
 * about it. For people and for programs.
 */

/** `bad`: it does not serve, or loses something. `warn`: it will, or others can do harm. */
export type FindingLevel = 'ok' | 'warn' | 'bad'

export type Finding = {
  readonly level: FindingLevel
  /** What was looked at, in a word or two: `integrity`, `clock`. */
  readonly check: string
  /** The file, table, variable or address. */
  readonly where: string
  readonly what: string
  /** What to do, as a sentence with the command in it; absent where there is nothing. */
  readonly todo?: string
}

/** Takes findings as they come. */
export type Findings = {
  add(finding: Finding): void
  /** The same in a sentence: `about('disk', folder).bad('it is full', 'Make room')`. */
  about(check: string, where: string): Readonly<Record<FindingLevel, (what: string, todo?: string) => void>>
  /**
   * Runs a part of the examination; a part that fails is a finding too, and the next one runs all
   * the same.
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
