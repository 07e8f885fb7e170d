/** The fields of a record: a form of those that the caller changes, and the others. */
import type { Row } from '../api/rows.ts'
import { EditForm } from './edit-form.tsx'
import { RecordFacts } from './record-facts.tsx'
import type { RecordPlace } from './record-place.ts'
import type { Can } from './use-can.ts'

type RecordBodyProps = { readonly place: RecordPlace; readonly record: Row; readonly can: Can | null }

export function RecordBody({ place, record, can }: RecordBodyProps) {
  const { resource } = place
  const isOpen = resource.operations.includes('update') && can?.update !== false
  const editable = resource.fields.filter(({ settable }) => isOpen && settable.includes('update'))
  // Records below it that are embedded stand in a grid of their own.
  const below = new Set(resource.children.map(({ name }) => name))
  const read = resource.fields.filter(
    (field) => !editable.includes(field) && !field.secret && !(field.virtual && below.has(field.name)),
  )
  return (
    <div className="record">
      {editable.length > 0 && <EditForm place={place} record={record} fields={editable} />}
      <RecordFacts resource={resource} record={record} fields={read} />
    </div>
  )
}
