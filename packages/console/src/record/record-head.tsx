/** The head of a record: its title, its id, its actions, and what is done with the whole record. */

import type { ReactNode } from 'react'
import { go, hrefOf, placeIn } from '../address/router.ts'
import { useOperates } from '../api/declarations.ts'
import type { Row } from '../api/rows.ts'
import { useTenantName } from '../api/tenants.ts'
import { keepTitle, titleIn } from '../api/titles.ts'
import { viewAs, viewableOf } from '../api/view-as.ts'
import { OwnActions } from '../extend/own-actions.tsx'
import { copyText, notifyError } from '../shell/notices.tsx'
import { WhyButton } from '../shell/why.tsx'
import { inSentence, t } from '../words/words.ts'
import { DeleteButton } from './delete-record.tsx'
import { keepDraft } from './draft.ts'
import { EraseButton } from './erase-sheet.tsx'
import { RecordActions, refusalsAt } from './record-actions.tsx'
import { newId, type RecordPlace } from './record-place.ts'
import type { Can } from './use-can.ts'

type RecordProps = { readonly place: RecordPlace; readonly record: Row }
type RecordHeadProps = RecordProps & { readonly can: Can | null | undefined; readonly children: ReactNode }

/** Opens the form of a new record with the values of this one. Values that are unique are left out. */
function duplicate(place: RecordPlace, record: Row): void {
  const { resource, parts, above } = place
  const copied = resource.fields.filter(
    ({ name, settable, secret, unique }) => settable.includes('create') && !secret && !unique && record[name] != null,
  )
  const changes = Object.fromEntries(copied.map(({ name }) => [name, record[name]]))
  const next = [...parts.slice(0, -1), newId]
  keepDraft({ ...place, id: newId, parts: next, above }, { changes })
  go(hrefOf(next))
}

/** Those who run the service may see what a user sees. */
function ViewAsButton({ place: { resource, person }, record }: RecordProps) {
  const isOffered = useOperates()
  const user = viewableOf(resource, record)
  if (!isOffered || !user || user.id === person) return null
  return (
    <button type="button" onClick={() => void viewAs(user).catch(notifyError)}>
      {t('viewAs', user)}
    </button>
  )
}

export function RecordHead({ place, record, can, children }: RecordHeadProps) {
  const { resource, id, isSingle, isOwn } = place
  const tenantName = useTenantName(resource, id)
  keepTitle(resource, record)
  return (
    <>
      <div className="head">
        <h1>{isSingle ? resource.label : titleIn(resource, record)}</h1>
        {!isSingle && <span className="quiet">{resource.label}</span>}
        {children}
      </div>
      <div className="tools">
        <RecordActions place={place} record={record} can={can} />
        <OwnActions resource={resource} record={record} />
        {tenantName !== undefined && (
          <button type="button" onClick={() => go(placeIn(tenantName, []))}>
            {t('workIn', { label: inSentence(resource.label) })}
          </button>
        )}
        {resource.operations.includes('create') && !isSingle && !(isOwn && resource.madeBelow) && (
          <button type="button" onClick={() => duplicate(place, record)}>
            {t('duplicate')}
          </button>
        )}
        <DeleteButton place={place} record={record} can={can} />
        <EraseButton place={place} record={record} />
        <ViewAsButton place={place} record={record} />
        <button type="button" className="plain" onClick={() => copyText(id)}>
          {t('copyId')}
        </button>
        <button type="button" className="plain" onClick={() => copyText(location.href)}>
          {t('copyLink')}
        </button>
        <WhyButton refusals={refusalsAt({ place, record, can })} />
      </div>
    </>
  )
}
