/** Links to records of another resource: chosen by a search, shown as their titles. */
import { linkedIds } from '../../api/requested-fields.ts'
import type { Row } from '../../api/rows.ts'
import { loaded } from '../../shell/loaded.tsx'
import { t } from '../../words/words.ts'
import type { FieldKind, KindField } from '../field-kind.ts'
import { RecordTitle } from '../record-title.tsx'
import { jsonKind } from './json-kind.tsx'
import { LinkValues } from './link-values.tsx'
import { RecordLink } from './record-link.tsx'
import { WaitingPicker } from './waiting-picker.tsx'

const LinksInput = loaded(() => import('./links-input.tsx').then((part) => part.LinksInput), WaitingPicker)

/** A cell has one line. */
const cellMax = 3

type Links = readonly (string | number | Row)[]

function showTitles(value: Links, { reference }: KindField) {
  const ids = linkedIds(value)
  return (
    <span className="tags">
      {ids.slice(0, cellMax).map((id) => (
        <span key={id} className="tag">
          {reference ? <RecordTitle slug={reference.resource} id={id} /> : id}
        </span>
      ))}
      {ids.length > cellMax && <span className="quiet">+{ids.length - cellMax}</span>}
    </span>
  )
}

function showLinks(value: Links, { reference, links }: KindField) {
  return (
    <ul className="links">
      {linkedIds(value).map((id, i) => (
        <li key={id}>
          {reference ? <RecordLink slug={reference.resource} id={id} /> : id}
          <LinkValues fields={links?.fields ?? []} link={value[i]} />
        </li>
      ))}
    </ul>
  )
}

/** `1;2`, as an import takes them, or a list in JSON. */
function readCell(text: string): unknown {
  if (text.startsWith('[')) return jsonKind.readCell?.(text)
  return text
    .split(';')
    .map((id) => id.trim())
    .filter(Boolean)
}

export const linksKind: FieldKind<Links> = {
  Input: LinksInput,
  labelsItself: true,
  cell: showTitles,
  whole: showLinks,
  hint({ schema: { maxItems } }, value) {
    const count = linkedIds(value).length
    return count > Number(maxItems) * 0.8 ? t('linksOf', { count, max: Number(maxItems) }) : undefined
  },
  readCell,
}
