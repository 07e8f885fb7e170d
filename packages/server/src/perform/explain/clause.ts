/**
 * One clause of an explanation: a part of a rule with its verdict on one record, the values that it
 * compared, and its own parts.
 */
import type { RuleNode } from '../../policy/rule-tree.ts'
import type { Json } from '../../resource/fields/field.ts'

/**
 * `unknown`: a compared value is missing, so the clause neither holds nor fails, and admits none.
 * `depends`: no record is named. `hidden`: it rests on what the asker may not read.
 */
export type ClauseVerdict = 'holds' | 'fails' | 'unknown' | 'depends' | 'hidden'

/** `is`: the value of the record; `with`: the value that it was compared with. */
export type ComparedValue = {
  readonly field: string
  readonly operator: string
  readonly is?: Json
  readonly with?: Json
}

export type ExplainedClause = Pick<RuleNode, 'isNegated' | 'isAlternative'> & {
  readonly at: string
  /** The rule in words. */
  readonly rule: string
  readonly verdict: ClauseVerdict
  readonly compared: readonly ComparedValue[]
  readonly parts: readonly ExplainedClause[]
}

type Flagged = Pick<ExplainedClause, 'isNegated' | 'verdict'>

const opposite: Readonly<Record<ClauseVerdict, ClauseVerdict>> = {
  holds: 'fails',
  fails: 'holds',
  unknown: 'unknown',
  depends: 'depends',
  hidden: 'hidden',
}

/** The verdict of a part as the clause above takes it. */
export function verdictAbove({ isNegated, verdict }: Flagged): ClauseVerdict {
  return isNegated ? opposite[verdict] : verdict
}

/**
 * The verdict that follows from the parts that the asker may know; `hidden` where none does. It
 * tells no more than they do.
 */
export function verdictFromParts(parts: readonly ExplainedClause[]): ClauseVerdict {
  const found = parts.map(verdictAbove)
  if (found.length === 0) return 'hidden'
  const isAlternative = parts.some((part) => part.isAlternative)
  const [decisive, other] = isAlternative ? (['holds', 'fails'] as const) : (['fails', 'holds'] as const)
  if (found.includes(decisive)) return decisive
  return found.every((one) => one === other) ? other : 'hidden'
}

type Wanted = 'holds' | 'fails'

const wantedOf = ({ isNegated }: Flagged, wanted: Wanted): Wanted =>
  isNegated ? (wanted === 'holds' ? 'fails' : 'holds') : wanted

/** The clauses to which the verdict is owed. */
function reasonsOf(clause: ExplainedClause, found: Wanted): readonly string[] {
  const parts = clause.parts.filter((part) => part.verdict === wantedOf(part, found))
  return parts.length === 0 ? [clause.at] : parts.flatMap((part) => reasonsOf(part, wantedOf(part, found)))
}

/**
 * The clauses that keep one from the wanted verdict. Where each part has to have it, parts that are
 * known not to have it are enough; hidden ones are named where no other is.
 */
function blockersOf(clause: ExplainedClause, wanted: Wanted): readonly string[] {
  const blocking = clause.parts.filter((part) => part.verdict !== wantedOf(part, wanted))
  if (blocking.length === 0) return [clause.at]
  const isAlternative = clause.parts.some((part) => part.isAlternative)
  const needsAll = isAlternative === (wanted === 'fails')
  const known = blocking.filter(({ verdict }) => verdict !== 'hidden')
  const named = needsAll && known.length > 0 ? known : blocking
  return named.flatMap((part) => blockersOf(part, wantedOf(part, wanted)))
}

/** The places of the clauses that let in or refused. */
export function decidingClauses(clause: ExplainedClause, isAllowed: boolean): readonly string[] {
  return isAllowed ? reasonsOf(clause, 'holds') : blockersOf(clause, 'holds')
}

/** The clause as answers have it, without empty members. */
export type PrintedClause = Pick<ExplainedClause, 'at' | 'rule' | 'verdict'> & {
  readonly compared?: readonly ComparedValue[]
  readonly parts?: readonly PrintedClause[]
}

export function printClause({ at, rule, verdict, compared, parts }: ExplainedClause): PrintedClause {
  return {
    at,
    rule,
    verdict,
    ...(compared.length > 0 && { compared }),
    ...(parts.length > 0 && { parts: parts.map(printClause) }),
  }
}
