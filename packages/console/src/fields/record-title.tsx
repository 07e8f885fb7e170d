/** The title of a record that another names, in place of its id. */
import { useTitle } from '../api/titles.ts'

export function RecordTitle({ slug, id }: { readonly slug: string; readonly id: string }) {
  const title = useTitle(slug, id)
  return title === undefined ? <span className="quiet code">{id.slice(0, 8)}</span> : title
}
