/** A value on the page of its record: with UTC beside times, and names in place of ids. */
import type { FieldDescription } from 'bindery-server/client'
import type { ReactNode } from 'react'
import { RecordTitle } from './record-title.tsx'
import { showValue } from './show-value.tsx'
import { utcOf } from './time-input.tsx'

/** `linkOf`: around the title of a record that is named. */
export function showWhole(
  field: FieldDescription,
  value: unknown,
  linkOf: (slug: string, id: string, title: ReactNode) => ReactNode = (_slug, _id, title) => title,
): ReactNode {
  if (value === null || value === undefined) return showValue(field, value)
  if (field.reference) {
    const { resource } = field.reference
    return linkOf(resource, String(value), <RecordTitle slug={resource} id={String(value)} />)
  }
  if (field.type === 'timestamp')
    return (
      <>
        {showValue(field, value)} <span className="quiet small">{utcOf(value)}</span>
      </>
    )
  if (typeof value === 'object' && !Array.isArray(value)) return <pre className="code">{JSON.stringify(value, null, 2)}</pre>
  return showValue(field, value)
}
