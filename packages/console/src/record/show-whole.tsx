/** A value on the page of its record: with UTC beside times, and titles in place of ids. */
import type { FieldDescription } from 'bindery-server/client'
import type { ReactNode } from 'react'
import { useResources } from '../api/declarations.ts'
import { RecordTitle } from '../fields/record-title.tsx'
import { showValue } from '../fields/show-value.tsx'
import { utcOf } from '../fields/time-input.tsx'
import { PlaceLink } from '../shell/menu.tsx'

/** A link where the record has an address of its own that the caller may open. */
export function RecordLink({ slug, id }: { readonly slug: string; readonly id: string }) {
  const { data: resources = [] } = useResources()
  const found = resources.find((one) => one.slug === slug)
  const title = <RecordTitle slug={slug} id={id} />
  const isOpen = found?.path !== undefined && found.operations.includes('get')
  return isOpen ? <PlaceLink parts={[slug, id]} label={title} isHere={false} /> : title
}

export function showWhole(field: FieldDescription, value: unknown): ReactNode {
  if (value === null || value === undefined) return showValue(field, value)
  if (field.reference) return <RecordLink slug={field.reference.resource} id={String(value)} />
  if (field.type === 'timestamp')
    return (
      <>
        {showValue(field, value)} <span className="quiet small">{utcOf(value)}</span>
      </>
    )
  if (typeof value !== 'object' || field.type === 'textList') return showValue(field, value)
  return <pre className="code">{JSON.stringify(value, null, 2)}</pre>
}
