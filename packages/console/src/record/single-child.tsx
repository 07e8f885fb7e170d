/**
 * The one record below another, changed where it stands. It is read when it is unfolded: the server
 * makes it at the first read.
 */

import { useState } from 'react'
import { useRecord } from '../api/records.ts'
import { isLive } from '../live/is-live.ts'
import { sayError } from '../shell/form-errors.ts'
import { loaded } from '../shell/loaded.tsx'
import { inSentence, t } from '../words/words.ts'
import { CreateForm } from './create-form.tsx'
import { DeleteButton } from './delete-record.tsx'
import type { InBody } from './line-edits.ts'
import { RecordBody } from './record-body.tsx'
import { newId, pathAt, type RecordPlace, useRecordPlace } from './record-place.ts'
import { useCan } from './use-can.ts'

const LiveRecord = loaded(() => import('../live/live-record.tsx').then((part) => part.LiveRecord))

const noValues = {}
const noLines: readonly InBody[] = []

/** A record that people make, such as that of a one-to-one reference, and that is not there yet. */
export function NoneYet({ place }: { readonly place: RecordPlace }) {
  const [isMaking, setMaking] = useState(false)
  const { segment: _, ...resource } = place.resource
  if (isMaking)
    return (
      <CreateForm
        place={{ ...place, id: newId, resource: { ...resource, path: pathAt(place) } }}
        values={noValues}
        nested={noLines}
      />
    )
  return (
    <button type="button" onClick={() => setMaking(true)}>
      {t('create', { label: inSentence(resource.label) })}
    </button>
  )
}

/** Whether there is no such record yet, and the caller may make it. */
export function mayMake({ resource }: RecordPlace, error: unknown): boolean {
  const isMissing = error instanceof Error && 'status' in error && error.status === 404
  return isMissing && resource.operations.includes('create')
}

function Unfolded({ place }: { readonly place: RecordPlace }) {
  const { data: record, error } = useRecord(place.resource, place.id)
  const can = useCan(place)
  if (mayMake(place, error)) return <NoneYet place={place} />
  if (error && !record) return <p role="alert">{sayError(error)}</p>
  if (!record || can === undefined) return <p className="quiet">{t('loading')}</p>
  return (
    <>
      {isLive(place.resource) && <LiveRecord place={place} record={record} />}
      <RecordBody key={String(record[place.resource.idField])} place={place} record={record} can={can} />
      <DeleteButton place={place} record={record} can={can} />
    </>
  )
}

type SingleChildProps = { readonly parts: readonly string[]; readonly label: string }

function Found({ parts }: Pick<SingleChildProps, 'parts'>) {
  const { data: place, error } = useRecordPlace(parts)
  if (error && !place) return <p role="alert">{sayError(error)}</p>
  return place ? <Unfolded place={place} /> : <p className="quiet">{t('loading')}</p>
}

export function SingleChild({ parts, label }: SingleChildProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="single" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('showHere', { label })}</summary>
      {isOpen && <Found parts={parts} />}
    </details>
  )
}
