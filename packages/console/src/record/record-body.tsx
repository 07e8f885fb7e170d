/** The fields of a record: a form of those that the caller changes, and the others. */
import type { Row } from '../api/rows.ts'
import { t } from '../words/words.ts'
import { EditForm } from './edit-form.tsx'
import { RecordFacts } from './record-facts.tsx'
import type { RecordPlace } from './record-place.ts'
import type { Can } from './use-can.ts'
import { useInBody } from './use-in-body.ts'

type RecordBodyProps = { readonly place: RecordPlace; readonly record: Row; readonly can: Can | null }

export function RecordBody({ place, record, can }: RecordBodyProps) {
  const { resource } = place
  const nested = useInBody(place, can)
  const isOpen = resource.operations.includes('update') && can?.update !== false
  const editable = resource.fields.filter(({ settable }) => isOpen && settable.includes('update'))
  // Records below it that are embedded stand in a grid of their own.
  const below = new Set(resource.children.map(({ name }) => name))
  const read = resource.fields.filter(
    (field) => !editable.includes(field) && !field.secret && !(field.virtual && below.has(field.name)),
  )
  if (!nested) return <p className="quiet">{t('loading')}</p>
  const hasForm = editable.length > 0 || nested.length > 0
  return (
    <div className="record">
      {hasForm && <EditForm place={place} record={record} fields={editable} nested={nested} />}
      <RecordFacts resource={resource} record={record} fields={read} />
    </div>
  )
}
