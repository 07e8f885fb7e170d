/** The page of one record, of a new one, or of the one record below another. */
import { useMemo } from 'react'
import { useAddress } from '../address/router.ts'
import { useRecord } from '../api/records.ts'
import type { Row } from '../api/rows.ts'
import { valueFrom } from '../fields/typed-value.ts'
import { PlaceLink } from '../shell/menu.tsx'
import { inSentence, t } from '../words/words.ts'
import { Children } from './children.tsx'
import { CreateForm } from './create-form.tsx'
import { EditForm } from './edit-form.tsx'
import { RecordFacts } from './record-facts.tsx'
import { RecordHead } from './record-head.tsx'
import { newId, pathAt, type RecordPlace, useRecordPlace } from './record-place.ts'
import { useCan } from './use-can.ts'

export function RecordPage({ parts }: { readonly parts: readonly string[] }) {
  const { data: place, error } = useRecordPlace(parts)
  if (error) return <p role="alert">{error.message}</p>
  if (!place) return <p className="quiet">{t('loading')}</p>
  return place.id === newId ? <NewRecord place={place} /> : <Shown place={place} />
}

function Back({ place: { above, aboveLabel } }: { readonly place: RecordPlace }) {
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
  const values = useMemo(() => valuesIn(place, query), [place, query])
  return (
    <>
      <Back place={place} />
      <h1>{t('create', { label: inSentence(place.resource.label) })}</h1>
      <CreateForm place={place} values={values} />
    </>
  )
}

function Shown({ place }: { readonly place: RecordPlace }) {
  const { resource, id, isSingle } = place
  const { data: record, error, refetch } = useRecord(resource, id, isSingle ? pathAt(place) : id)
  const can = useCan(place)
  if (error && !record)
    return (
      <>
        <Back place={place} />
        <p role="alert">
          {error.message}{' '}
          <button type="button" onClick={() => void refetch()}>
            {t('retry')}
          </button>
        </p>
      </>
    )
  // A form that is not offered shall not be there for a moment.
  if (!record || can === undefined) return <p className="quiet">{t('loading')}</p>
  const isOpen = !isSingle && resource.operations.includes('update') && can?.update !== false
  const editable = resource.fields.filter(({ settable }) => isOpen && settable.includes('update'))
  // Records below it that are embedded stand in a grid of their own.
  const below = new Set(resource.children.map(({ name }) => name))
  const read = resource.fields.filter(
    (field) => !editable.includes(field) && !field.secret && !(field.virtual && below.has(field.name)),
  )
  return (
    <>
      <Back place={place} />
      <RecordHead place={place} record={record} can={can} />
      <div className="record">
        {editable.length > 0 && <EditForm place={place} record={record} fields={editable} />}
        <RecordFacts resource={resource} record={record} fields={read} />
      </div>
      <Children place={place} />
    </>
  )
}
