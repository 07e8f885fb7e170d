/** A record of another resource: picked by a search, and shown by its title with a link. */
import { loaded } from '../../shell/loaded.tsx'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import type { FieldKind, KindField } from '../field-kind.ts'
import { RecordTitle } from '../record-title.tsx'
import { numberIdKind } from './number-kind.tsx'
import { RecordLink } from './record-link.tsx'

/** As high as the input that is loaded meanwhile. */
function Waiting({ field }: ControlProps) {
  return (
    <div className="react-aria-Select">
      <span className="label">{field.label}</span>
      <span className="pick button">{t('loading')}</span>
    </div>
  )
}

export const ReferenceInput = loaded(() => import('./reference-input.tsx').then((part) => part.ReferenceInput), Waiting)

function showTitle(value: string | number, { reference }: KindField) {
  return reference ? <RecordTitle slug={reference.resource} id={String(value)} /> : String(value)
}

function showLink(value: string | number, { reference }: KindField) {
  return reference ? <RecordLink slug={reference.resource} id={String(value)} /> : String(value)
}

/** Filters and files name it by its id. */
export const referenceKind: FieldKind<string> = {
  Input: ReferenceInput,
  labelsItself: true,
  line: { input: 'text' },
  cell: showTitle,
  whole: showLink,
}

export const numberReferenceKind: FieldKind<number> = {
  Input: ReferenceInput,
  labelsItself: true,
  ...(numberIdKind.line && { line: numberIdKind.line }),
  cell: showTitle,
  whole: showLink,
}
