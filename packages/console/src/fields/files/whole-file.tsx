/** A file on the page of its record: its picture, its name, which opens it, and its size. */
import { printSize } from '../../words/print-size.ts'
import { t } from '../../words/words.ts'
import type { KindField } from '../field-kind.ts'
import { openFile } from './file-bytes.ts'
import { FilePicture } from './file-picture.tsx'
import { isReadable, type ShownFile } from './shown-file.ts'

type FileProps = { readonly field: KindField; readonly file: ShownFile }

/** The reason why it cannot be opened. */
export function ScanNote({ file: { scan } }: Pick<FileProps, 'file'>) {
  if (scan !== 'waiting' && scan !== 'refused') return null
  return <span className="quiet"> · {t(scan === 'waiting' ? 'fileNotScanned' : 'fileRefused')}</span>
}

export function WholeFile({ field, file }: FileProps) {
  return (
    <>
      <FilePicture field={field} file={file} size="whole" />
      {isReadable(file) ? (
        <button type="button" className="plain" onClick={() => void openFile(file)}>
          {file.name}
        </button>
      ) : (
        <span>{file.name}</span>
      )}{' '}
      <span className="quiet">{printSize(file.size)}</span>
      <ScanNote file={file} />
    </>
  )
}
