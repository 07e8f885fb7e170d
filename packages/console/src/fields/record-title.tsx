/** The title of a record that another names. The id stands there where the caller may not read it. */
import { useTitle } from '../api/titles.ts'

/** Ids begin with their time, so those of one day differ at their end. */
const idMax = 8

export function RecordTitle({ slug, id }: { readonly slug: string; readonly id: string }) {
  const title = useTitle(slug, id)
  if (title !== undefined) return title
  return (
    <span className="quiet code" title={id}>
      {id.length > idMax ? `…${id.slice(-idMax)}` : id}
    </span>
  )
}
