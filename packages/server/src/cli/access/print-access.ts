/** Prints explanations and comparisons of access for people. */
import { paint, plain } from '../../command/output.ts'
import type { PrintedClause } from '../../perform/explain/clause.ts'
import type { ExplainedAccess, ExplainedChild } from '../../perform/explain/explain-access.ts'
import type { AccessChange } from '../../policy/compare-access.ts'

const styles = { holds: 'green', fails: 'red', unknown: 'yellow', depends: 'yellow', hidden: 'dim' } as const
type Compared = NonNullable<PrintedClause['compared']>[number]

function comparedLine({ field, operator, is, with: other }: Compared): string {
  const value = is === undefined ? '' : ` is ${JSON.stringify(is)},`
  return plain(`${field}${value} compared by ${operator}${other === undefined ? '' : ` with ${JSON.stringify(other)}`}`)
}

function clauseLines(clause: PrintedClause, decisive: ReadonlySet<string>, depth = 0): readonly string[] {
  const { at, rule, verdict, compared = [], parts = [] } = clause
  const indent = '  '.repeat(depth)
  const mark = decisive.has(at) ? ' ←' : ''
  return [
    `${indent}${plain(at)}: ${plain(rule)}: ${paint(styles[verdict], verdict)}${mark}`,
    ...compared.map((one) => `${indent}    ${comparedLine(one)}`),
    ...parts.flatMap((part) => clauseLines(part, decisive, depth + 1)),
  ]
}

/** The subject of each rule. */
const headings = {
  existence: 'Whether the record exists for the caller (else it is not found):',
  record: 'The record as it is, or all records of a list:',
  result: 'The record as it would be:',
  caller: 'A field that the body sets:',
} as const

const outcomes = { true: 'allowed', false: 'refused', null: 'depends on the record' } as const

type Explained = Omit<ExplainedAccess, 'caller'>

function explainedLines(explained: Explained): readonly string[] {
  const { allowed, operation, resource, record, refusal, missingScope, decidedBy, declaredIn, rules } = explained
  const decisive = new Set(decidedBy)
  const what = record === undefined ? resource : `${resource}/${record}`
  const lines = [
    `${outcomes[`${allowed}`]}: ${operation} ${what}`,
    ...(refusal ? [`the answer is ${refusal.code}: ${refusal.message}`] : []),
    ...(missingScope === undefined ? [] : [`the key has no scope ${missingScope}, so it counts as no credential`]),
    `declared in ${declaredIn}`,
  ]
  const shown = rules.flatMap((rule) => [
    '',
    headings[rule.judges],
    ...clauseLines(rule, decisive),
    ...(rule.declaredIn === undefined ? [] : [plain(`  declared in ${rule.declaredIn}`)]),
  ])
  return [...lines.map(plain), ...shown]
}

/** The command line may have every rule explained. */
function childLines({ at, ...child }: ExplainedChild): readonly string[] {
  const [first = '', ...rest] = explainedLines({ decidedBy: [], declaredIn: '', rules: [], ...child })
  return ['', `${plain(at)}: ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))]
}

export function printExplained(explained: ExplainedAccess): string {
  return `${[...explainedLines(explained), ...(explained.children ?? []).flatMap(childLines)].join('\n')}\n`
}

const changeWords = { more: 'MORE', less: 'less', differs: 'DIFFERS' } as const
const changeStyles = { more: 'red', less: 'dim', differs: 'yellow' } as const

function changeLines({ change, resource, deed, fields, callers, before, after }: AccessChange): readonly string[] {
  const what = fields ? `${deed} ${fields.join(', ')}` : deed
  const head = `${paint(changeStyles[change], changeWords[change].padEnd(7))}  ${plain(`${resource}: ${what}: ${callers.join(', ')}`)}`
  if (before === undefined || after === undefined) return [head]
  const advice = change === 'differs' ? ['         neither is provably the narrower one: compare them by hand'] : []
  return [head, plain(`         before: ${before}`), plain(`         now:    ${after}`), ...advice]
}

/** Changes that need a look come first. */
export function printChanges(changes: readonly AccessChange[]): string {
  if (changes.length === 0) return 'Each kind of caller may see and do the same as before.\n'
  const ranked = (['more', 'differs', 'less'] as const).flatMap((kind) =>
    changes.filter(({ change }) => change === kind),
  )
  return `${ranked.flatMap(changeLines).join('\n')}\n`
}
