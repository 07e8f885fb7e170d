/** Files of a record: a small picture and the name in lists, and on its page a way to open them. */

import { printSize } from '../../words/print-size.ts'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import type { FieldKind, KindField } from '../field-kind.ts'
import { jsonKind } from '../kinds/json-kind.tsx'
import { FileInput } from './file-input.tsx'
import { FilePicture } from './file-picture.tsx'
import { filesIn } from './shown-file.ts'
import { ScanNote, WholeFile } from './whole-file.tsx'

/** The input of an action has no field that an upload could name: it takes the id of one. */
function FileOrIdInput(props: ControlProps) {
  if (props.field.file) return <FileInput {...props} />
  return (
    <>
      <label htmlFor={props.id}>{props.field.label}</label>
      <jsonKind.Input {...props} />
    </>
  )
}

function FileCell({ field, value }: { readonly field: KindField; readonly value: unknown }) {
  const files = filesIn(value)
  return (
    <span className="file-cell">
      {files.map((file) => (
        <span key={file.id}>
          <FilePicture field={field} file={file} size="cell" /> {file.name}
          <ScanNote file={file} />
        </span>
      ))}
    </span>
  )
}

export const fileKind: FieldKind<unknown> = {
  Input: FileOrIdInput,
  labelsItself: true,
  cell: (value, field) => <FileCell field={field} value={value} />,
  whole: (value, field) => (
    <ul className="files">
      {filesIn(value).map((file) => (
        <li key={file.id}>
          <WholeFile field={field} file={file} />
        </li>
      ))}
    </ul>
  ),
  width: 192,
  hint({ file }) {
    if (!file) return undefined
    const { types, bytesMax, filesMax } = file
    const limits = { size: printSize(bytesMax), count: filesMax ?? 1, types: types?.join(', ') ?? t('everyType') }
    return t(filesMax === undefined ? 'fileHint' : 'filesHint', limits)
  },
}
