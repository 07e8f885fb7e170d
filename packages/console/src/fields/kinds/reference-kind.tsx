/** A record of another resource: picked by a search, and shown by its title with a link. */
import { loaded } from '../../shell/loaded.tsx'
import type { FieldKind, KindField } from '../field-kind.ts'
import { RecordTitle } from '../record-title.tsx'
import { numberIdKind } from './number-kind.tsx'
import { RecordLink } from './record-link.tsx'
import { WaitingPicker } from './waiting-picker.tsx'

export const ReferenceInput = loaded(
  () => import('./reference-input.tsx').then((part) => part.ReferenceInput),
  WaitingPicker,
)

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
