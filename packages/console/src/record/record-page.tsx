/** The page of one record, of a new one, or of the one record below another. */

import { useMemo } from 'react'
import { useAddress } from '../address/router.ts'
import { useRecord } from '../api/records.ts'
import type { Row } from '../api/rows.ts'
import { valueFrom } from '../fields/typed-value.ts'
import { isLive } from '../live/is-live.ts'
import { sayError } from '../shell/form-errors.ts'
import { loaded } from '../shell/loaded.tsx'
import { PlaceLink } from '../shell/menu.tsx'
import { inSentence, t } from '../words/words.ts'
import { Children } from './children.tsx'
import { CreateForm } from './create-form.tsx'
import { RecordBody } from './record-body.tsx'
import { RecordHead } from './record-head.tsx'
import { newId, type RecordPlace, useRecordPlace } from './record-place.ts'
import { mayMake, NoneYet } from './single-child.tsx'
import { useCan } from './use-can.ts'
import { useInBody } from './use-in-body.ts'

const LiveRecord = loaded(() => import('../live/live-record.tsx').then((part) => part.LiveRecord))

export function RecordPage({ parts }: { readonly parts: readonly string[] }) {
  const { data: place, error } = useRecordPlace(parts)
  if (error && !place) return <p role="alert">{sayError(error)}</p>
  if (!place) return <p className="quiet">{t('loading')}</p>
  return place.id === newId ? <NewRecord place={place} /> : <Shown place={place} />
}

function Back({ place: { above, aboveLabel } }: { readonly place: RecordPlace }) {
  if (above.length === 0) return null
  return (
    <p className="back">
      <PlaceLink parts={above} isHere={false} label={<>← {t('back', { plural: inSentence(aboveLabel) })}</>} />
    </p>
  )
}

/** The values of the address: `/reviews/_new?rating=5`. */
function valuesIn({ resource: { fields } }: RecordPlace, query: URLSearchParams): Row {
  const known = fields.filter(({ name, settable }) => settable.includes('create') && query.has(name))
  return Object.fromEntries(known.map((field) => [field.name, valueFrom(field, query.get(field.name) as string)]))
}

function NewRecord({ place }: { readonly place: RecordPlace }) {
  const { query } = useAddress()
  const { resource } = place
  const values = useMemo(() => valuesIn(place, query), [place, query])
  const nested = useInBody(place, undefined)
  if (!nested) return <p className="quiet">{t('loading')}</p>
  return (
    <>
      <Back place={place} />
      <h1>{t('create', { label: inSentence(resource.label) })}</h1>
      {resource.operations.includes('create') ? (
        <CreateForm place={place} values={values} nested={nested} />
      ) : (
        <p role="alert">{t('noCreate', { plural: inSentence(resource.plural) })}</p>
      )}
    </>
  )
}

function Shown({ place }: { readonly place: RecordPlace }) {
  const { resource, id } = place
  const { data: record, error, refetch } = useRecord(resource, id)
  const can = useCan(place)
  if (place.isSingle && !record && mayMake(place, error))
    return (
      <>
        <Back place={place} />
        <h1>{resource.label}</h1>
        <NoneYet place={place} />
      </>
    )
  if (error && !record)
    return (
      <>
        <Back place={place} />
        <p role="alert">
          {sayError(error)}{' '}
          <button type="button" onClick={() => void refetch()}>
            {t('retry')}
          </button>
        </p>
      </>
    )
  // A form that is not offered shall not be there for a moment.
  if (!record || can === undefined) return <p className="quiet">{t('loading')}</p>
  return (
    <>
      <Back place={place} />
      <RecordHead place={place} record={record} can={can}>
        {isLive(resource) && <LiveRecord key={id} place={place} record={record} />}
      </RecordHead>
      <RecordBody place={place} record={record} can={can} />
      <Children place={place} can={can} />
    </>
  )
}
