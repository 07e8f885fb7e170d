/**
 * Saved views of a list: a name, its query and its columns. Those of one's own are kept in this
 * browser; shared ones are records, where the application declares a resource for them.
 */

import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { type FormEvent, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { go, hrefOf, tenantHere } from '../address/router.ts'
import { personId } from '../api/client.ts'
import {
  deleteShared,
  renameShared,
  type SharedView,
  sharersOf,
  shareView,
  useSharedViews,
  useViewsHolder,
} from '../api/shared-views.ts'
import { useTitle } from '../api/titles.ts'
import { sayError } from '../shell/form-errors.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { t } from '../words/words.ts'
import { knownColumns, type ListChoices, type SavedView as LocalView } from './list-choices.ts'
import { SavedView } from './saved-view.tsx'

type ViewsPanelProps = {
  readonly resource: ResourceDescription
  readonly query: ListQuery
  readonly shown: readonly FieldDescription[]
  readonly choices: ListChoices
  onChoose(changes: Partial<ListChoices>): void
}

const byName = (one: { readonly name: string }, other: { readonly name: string }) => one.name.localeCompare(other.name)

type SharerProps = { readonly slug: string; readonly userId: string }

/** A person whom the reader may not see has no name here. */
function Sharer({ slug, userId }: SharerProps) {
  const name = useTitle(slug, userId)
  return name === undefined ? t('sharedByOther') : t('sharedBy', { name })
}

function sharerOf(holder: ResourceDescription, { userId }: SharedView) {
  const slug = sharersOf(holder)
  if (userId === null || slug === undefined) return t('sharedByOther')
  return userId === personId() ? t('sharedByYou') : <Sharer slug={slug} userId={userId} />
}

/** Where the address names no tenant, views of several stand in one list. */
function TenantOf({ slug, id }: { readonly slug: string; readonly id: string }) {
  const name = useTitle(slug, id)
  return name === undefined ? null : ` · ${name}`
}

function tenantOf({ fields, tenantField }: ResourceDescription, view: SharedView) {
  const slug = fields.find(({ name }) => name === tenantField)?.reference?.resource
  const id = tenantField && view[tenantField]
  return tenantHere() === undefined && slug && id ? <TenantOf slug={slug} id={String(id)} /> : null
}

type SharedProps = { readonly holder: ResourceDescription; readonly slug: string; onShow(view: SharedView): void }

function SharedViews({ holder, slug, onShow }: SharedProps) {
  const { data: views = [], error } = useSharedViews(holder, slug)
  if (error && views.length === 0) return <p role="alert">{sayError(error)}</p>
  if (views.length === 0) return null
  const may = ({ _can, can }: SharedView, operation: string) =>
    holder.operations.includes(operation) && (_can ?? can)?.[operation] !== false
  return (
    <ul aria-label={t('sharedViews')}>
      {views.map((view) => (
        <SavedView
          key={view.id}
          name={view.name}
          isShared
          onShow={() => onShow(view)}
          onRename={
            may(view, 'update') ? (name) => void renameShared(holder, view, name).catch(notifyError) : undefined
          }
          onRemove={may(view, 'delete') ? () => void deleteShared(holder, view).catch(notifyError) : undefined}
        >
          {sharerOf(holder, view)}
          {tenantOf(holder, view)}
        </SavedView>
      ))}
    </ul>
  )
}

type SaveProps = {
  readonly holder: ResourceDescription | undefined
  onSave(name: string): void
  onShare(holder: ResourceDescription, name: string): Promise<void>
}

/** A view of a tenant is shared where the address names the tenant. */
function SaveForm({ holder, onSave, onShare }: SaveProps) {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const sharing = holder?.operations.includes('create') ? holder : undefined
  const needsTenant = sharing?.tenantField !== undefined && tenantHere() === undefined
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const said = name.trim()
    if (!said) return
    try {
      if (sharing && isShared && !needsTenant) await onShare(sharing, said)
      else onSave(said)
      setName('')
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)}>
      <input
        aria-label={t('viewName')}
        placeholder={t('viewName')}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {sharing && (
        <label>
          <input
            type="checkbox"
            checked={isShared && !needsTenant}
            disabled={needsTenant}
            onChange={(event) => setShared(event.target.checked)}
          />
          {t('shareView')}
        </label>
      )}
      <button type="submit">{t('saveView')}</button>
      {needsTenant && <span className="quiet">{t('shareInTenant')}</span>}
      {isShared && !needsTenant && <span className="quiet">{t('shareHow')}</span>}
    </form>
  )
}

export function ViewsPanel({ resource, query, shown, choices, onChoose }: ViewsPanelProps) {
  const { views, columns } = choices
  const { slug } = resource
  const holder = useViewsHolder()
  const others = (gone: string) => views.filter((one) => one.name !== gone)
  const keep = (next: readonly LocalView[]) => onChoose({ views: next.toSorted(byName) })

  /** Its columns are chosen, and no part of the address: the panel of columns changes them. */
  function show(asked: Readonly<Record<string, string>>, chosen: readonly string[] | undefined): void {
    onChoose({ columns: chosen && knownColumns(resource, chosen) })
    const text = new URLSearchParams(asked).toString()
    go(hrefOf([slug], text && `?${text}`))
  }
  function showShared(view: SharedView): void {
    const { fields, ...asked } = Object.fromEntries(new URLSearchParams(view.query))
    show(asked, fields?.split(','))
  }
  async function share(into: ResourceDescription, name: string): Promise<void> {
    const all = { ...query, fields: shown.map((field) => field.name).join(',') }
    const text = new URLSearchParams(all).toString().replaceAll('%2C', ',')
    await shareView(into, { resource: slug, name, query: text })
    notify({ text: t('viewShared', { name }) })
  }
  return (
    <section className="panel views" aria-label={t('views')}>
      {views.length > 0 && (
        <ul aria-label={t('ownViews')}>
          {views.map((view) => (
            <SavedView
              key={view.name}
              name={view.name}
              onShow={() => show(view.query, view.columns)}
              onRename={(name) => keep([...others(view.name).filter((one) => one.name !== name), { ...view, name }])}
              onRemove={() => keep(others(view.name))}
            />
          ))}
        </ul>
      )}
      {holder && <SharedViews holder={holder} slug={slug} onShow={showShared} />}
      <SaveForm holder={holder} onSave={(name) => keep([...others(name), { name, query, columns }])} onShare={share} />
    </section>
  )
}
