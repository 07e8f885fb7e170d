/** A file on the page of its record: its picture, its name, which opens it, and its size. */
import { printSize } from '../../words/print-size.ts'
import type { KindField } from '../field-kind.ts'
import { openFile } from './file-bytes.ts'
import { FilePicture } from './file-picture.tsx'
import type { ShownFile } from './shown-file.ts'

type FileProps = { readonly field: KindField; readonly file: ShownFile }

export function WholeFile({ field, file }: FileProps) {
  return (
    <>
      <FilePicture field={field} file={file} size="whole" />
      {file.url ? (
        <button type="button" className="plain" onClick={() => void openFile(file)}>
          {file.name}
        </button>
      ) : (
        <span>{file.name}</span>
      )}{' '}
      <span className="quiet">{printSize(file.size)}</span>
    </>
  )
}
