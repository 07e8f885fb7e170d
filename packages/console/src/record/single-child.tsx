/**
 * The one record below another, changed where it stands. It is read when it is unfolded: the server
 * makes it at the first read.
 */

import { useState } from 'react'
import { useRecord } from '../api/records.ts'
import { sayError } from '../shell/form-errors.ts'
import { t } from '../words/words.ts'
import { DeleteButton } from './delete-record.tsx'
import { RecordBody } from './record-body.tsx'
import { type RecordPlace, useRecordPlace } from './record-place.ts'
import { useCan } from './use-can.ts'

function Unfolded({ place }: { readonly place: RecordPlace }) {
  const { data: record, error } = useRecord(place.resource, place.id)
  const can = useCan(place)
  if (error && !record) return <p role="alert">{sayError(error)}</p>
  if (!record || can === undefined) return <p className="quiet">{t('loading')}</p>
  return (
    <>
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
