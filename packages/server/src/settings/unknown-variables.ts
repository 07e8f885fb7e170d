/**
 * Warns of unknown variables whose names are close to the server's own: the operator probably
 * misspelled one. Environments have variables of other programs, so only close names are reported,
 * and none stops a start.
 */
import type { Environment, Variable } from '../base/environment.ts'
import { distance } from '../resource/words/nearest.ts'
import { isSecretVariable } from './secret-files.ts'

/** `Rate-Limit` → `RATELIMIT` */
function bare(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

/**
 * The number of letters that may differ: none in `PORT`, one in `WORKERS`, two in
 * `DATABASE_PREPARE`.
 */
function slipsMax({ length }: string): number {
  if (length < 7) return 0
  return length < 12 ? 1 : 2
}

function isNear(name: string, known: string): boolean {
  const [a, b] = [bare(name), bare(known)]
  if (a === b || a === `BINDERY${b}`) return true
  return Math.abs(a.length - b.length) <= 2 && distance(a, b) <= slipsMax(b)
}

/**
 * `{ RATELIMIT: '5/1m' }` → `RATELIMIT is set, and nothing reads it; did you mean RATE_LIMIT?`
 * Names that npm sets are left out.
 */
export function unknownVariables(env: Environment, variables: readonly Variable[]): readonly string[] {
  const known = variables.map(({ name }) => name)
  const names = new Set(known)
  return Object.keys(env).flatMap((name) => {
    if (names.has(name) || !env[name] || name.startsWith('npm_')) return []
    const base = name.replace(/_FILE$/, '')
    if (base !== name && isSecretVariable(base, variables)) return []
    if (base !== name && names.has(base)) return [`${name} is set, and nothing reads it: only secrets come from files`]
    const near = known.find((one) => isNear(name, one))
    // Where the right name is set too, the other one is no mistake.
    return near === undefined || env[near] ? [] : [`${name} is set, and nothing reads it; did you mean ${near}?`]
  })
}
