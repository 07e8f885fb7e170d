/** A record by its title, as a link to its page where the caller may open it. */
import { useResources } from '../../api/declarations.ts'
import { PlaceLink } from '../../shell/menu.tsx'
import { RecordTitle } from '../record-title.tsx'

type RecordLinkProps = { readonly slug: string; readonly id: string }

/** A link where the record has an address of its own that the caller may open. */
export function RecordLink({ slug, id }: RecordLinkProps) {
  const { data: resources = [] } = useResources()
  const found = resources.find((one) => one.slug === slug)
  const title = <RecordTitle slug={slug} id={id} />
  const isOpen = found?.path !== undefined && found.operations.includes('get')
  return isOpen ? <PlaceLink parts={[slug, id]} label={title} isHere={false} /> : title
}
