/** The parts that the pages of work share: filters, pages of a long list, and buttons that act. */
import { useState } from 'react'
import { t } from '../words/words.ts'
import { type WorkState, wordOfState } from '../words/work-words.ts'
import { act } from './facts.tsx'

export type WorkFilter = { readonly name: string; readonly state: string; readonly after: number }

/** `query`: as the server takes it; `parameter`: that of the kind of work. */
export function useWorkFilter(parameter: string) {
  const [filter, setFilter] = useState<WorkFilter>({ name: '', state: '', after: 0 })
  const { name, state, after } = filter
  const given = { [parameter]: name, state, after: after === 0 ? '' : String(after) }
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== '')).toString()
  return { filter, query: query === '' ? '' : `?${query}`, setFilter }
}

type FiltersProps = {
  readonly label: string
  readonly names: readonly string[]
  readonly states: readonly WorkState[]
  readonly filter: WorkFilter
  onChange(filter: WorkFilter): void
}

export function WorkFilters({ label, names, states, filter, onChange }: FiltersProps) {
  const choose = (part: Partial<WorkFilter>) => onChange({ ...filter, ...part, after: 0 })
  return (
    <div className="tools">
      <select aria-label={label} value={filter.name} onChange={({ target }) => choose({ name: target.value })}>
        <option value="">{`${label}: ${t('extentAll')}`}</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select aria-label={t('state')} value={filter.state} onChange={({ target }) => choose({ state: target.value })}>
        <option value="">{`${t('state')}: ${t('extentAll')}`}</option>
        {states.map((state) => (
          <option key={state} value={state}>
            {wordOfState(state)}
          </option>
        ))}
      </select>
    </div>
  )
}

type PagesProps = Pick<FiltersProps, 'filter' | 'onChange'> & { readonly next: number | null }

export function WorkPages({ filter, next, onChange }: PagesProps) {
  if (next === null && filter.after === 0) return null
  return (
    <div className="tools">
      {filter.after > 0 && (
        <button type="button" onClick={() => onChange({ ...filter, after: 0 })}>
          {t('fromStart')}
        </button>
      )}
      {next !== null && (
        <button type="button" onClick={() => onChange({ ...filter, after: next })}>
          {t('nextPage')}
        </button>
      )}
    </div>
  )
}

/** `path`: below the routes for operators, with the act at its end. */
export type WorkAct = { readonly path: string; readonly label: string }

export function WorkActs({ acts }: { readonly acts: readonly WorkAct[] }) {
  if (acts.length === 0) return null
  return (
    <span className="acts">
      {acts.map(({ path, label }) => (
        <button key={path} type="button" onClick={() => void act(path, t('done'))}>
          {label}
        </button>
      ))}
    </span>
  )
}
