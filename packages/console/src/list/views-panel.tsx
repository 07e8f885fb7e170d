/** Saved views of a list: a name, its query and its columns. They are kept in this browser. */
import { type FormEvent, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { go, hrefOf } from '../address/router.ts'
import { t } from '../words/words.ts'
import type { ListChoices, SavedView } from './list-choices.ts'

type ViewsPanelProps = {
  readonly slug: string
  readonly query: ListQuery
  readonly choices: ListChoices
  onChoose(changes: Partial<ListChoices>): void
}

export function ViewsPanel({ slug, query, choices, onChoose }: ViewsPanelProps) {
  const [name, setName] = useState('')
  const { views, columns } = choices
  const others = (gone: string) => views.filter((one) => one.name !== gone)
  function show(view: SavedView): void {
    onChoose({ columns: view.columns })
    go(hrefOf([slug], `?${new URLSearchParams(view.query)}`))
  }
  function save(event: FormEvent): void {
    event.preventDefault()
    if (!name.trim()) return
    onChoose({ views: [...others(name.trim()), { name: name.trim(), query, columns }] })
    setName('')
  }
  return (
    <section className="panel views" aria-label={t('views')}>
      <ul>
        {views.map((view) => (
          <li key={view.name}>
            <button type="button" className="plain" onClick={() => show(view)}>
              {view.name}
            </button>
            <button
              type="button"
              className="plain"
              aria-label={t('removeView', { name: view.name })}
              onClick={() => onChoose({ views: others(view.name) })}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <form onSubmit={save}>
        <input
          aria-label={t('viewName')}
          placeholder={t('viewName')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit">{t('saveView')}</button>
      </form>
    </section>
  )
}
