/** The reasons for what is not offered: the rule, its place, the clause that decided, its values. */

import { type Clause, type Explanation, type Refusal, useExplanation } from '../api/explanation.ts'
import { useView } from '../api/viewing.ts'
import { t } from '../words/words.ts'
import { sayError } from './form-errors.ts'
import { Sheet } from './sheet.tsx'

/** The clauses of a rule that decided, wherever in it they stand. */
function decisiveIn(clause: Clause, places: ReadonlySet<string>): readonly Clause[] {
  const below = clause.parts?.flatMap((part) => decisiveIn(part, places)) ?? []
  return places.has(clause.at) ? [clause, ...below] : below
}

function shown(value: unknown): string {
  return value === undefined ? t('noValue') : JSON.stringify(value)
}

function Reason({ clause: { rule, compared = [], verdict } }: { readonly clause: Clause }) {
  return (
    <li>
      {rule}
      {verdict === 'hidden' && <span className="quiet"> ({t('whyHidden')})</span>}
      {compared.map(({ field, operator, is, with: other }) => (
        <div key={`${field} ${operator}`} className="quiet">
          {t('whyCompared', { field, is: shown(is), operator, other: shown(other) })}
        </div>
      ))}
    </li>
  )
}

/** Limits of the engine, which no file declares, are named where they refuse. */
function Rules({ rules, decidedBy, allowed }: Explanation) {
  const places = new Set(decidedBy)
  const deciding = rules
    .filter(({ declaredIn }) => !allowed || declaredIn !== undefined)
    .map((rule) => ({ rule, clauses: decisiveIn(rule, places) }))
    .filter(({ clauses }) => clauses.length > 0)
  return deciding.map(({ rule: { at, rule, declaredIn, judges }, clauses }) => (
    <div key={`${at} ${judges}`}>
      <p>
        <code>{at}</code>: {rule}
        {declaredIn && (
          <>
            {', '}
            <span className="quiet" title={declaredIn}>
              {t('declaredIn', { place: declaredIn.split('/').at(-1) ?? '' })}
            </span>
          </>
        )}
      </p>
      <ul>
        {clauses
          .filter((clause) => clause.compared || clause.rule !== rule)
          .map((clause) => (
            <Reason key={clause.at} clause={clause} />
          ))}
      </ul>
    </div>
  ))
}

/** The rules may allow what a view, which only reads, does not offer. */
function Verdict({ explained }: { readonly explained: Explanation }) {
  const view = useView()
  const { allowed, refusal } = explained
  if (refusal) return <p>{sayError(refusal)}</p>
  if (allowed === null) return <p>{t('whyDepends')}</p>
  return <p>{view ? t('whyView', { name: view.name, role: view.role }) : t('whyAllowed')}</p>
}

function Why({ refusal }: { readonly refusal: Refusal }) {
  const { data, error } = useExplanation(refusal)
  const { label, reason, mayAsk } = refusal
  return (
    <section>
      <h3>{label}</h3>
      {reason && <p>{reason}</p>}
      {!mayAsk && !reason && <p>{t('refusedHere')}</p>}
      {mayAsk && !data && !error && <p className="quiet">{t('loading')}</p>}
      {(error ?? data?.problem) && <p className="problem">{error ? sayError(error) : data?.problem}</p>}
      {data?.explained && (
        <>
          {!reason && <Verdict explained={data.explained} />}
          <Rules {...data.explained} />
        </>
      )}
    </section>
  )
}

type WhyDialogProps = { readonly refusals: readonly Refusal[]; onClose(): void }

export function WhyDialog({ refusals, onClose }: WhyDialogProps) {
  return (
    <Sheet label={t('whyTitle')} onClose={onClose}>
      <div className="why">
        {refusals.map((refusal) => (
          <Why key={`${refusal.method} ${refusal.path}`} refusal={refusal} />
        ))}
      </div>
      <div className="tools">
        <button type="button" onClick={onClose}>
          {t('close')}
        </button>
      </div>
    </Sheet>
  )
}
