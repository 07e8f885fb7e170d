/** Files in a form: dropped or chosen, uploaded at once with their progress, replaced and removed. */
import { type DragEvent, useRef, useState } from 'react'
import { printSize } from '../../words/print-size.ts'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import { isPicture, type ShownFile } from './shown-file.ts'
import { previewOf, type Upload, useUploads } from './use-uploads.ts'
import { WholeFile } from './whole-file.tsx'

type UploadLineProps = { readonly upload: Upload; readonly retry: () => void; readonly cancel: () => void }

function UploadLine({ upload: { file, sent, problem, isRefused }, retry, cancel }: UploadLineProps) {
  return (
    <li>
      <span>{file.name}</span>
      {problem === undefined ? (
        <progress aria-label={file.name} max={file.size} value={sent} />
      ) : (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
      <span className="quiet">
        {printSize(sent)} / {printSize(file.size)}
      </span>
      {problem !== undefined && !isRefused && (
        <button type="button" onClick={retry}>
          {t('goOn')}
        </button>
      )}
      <button type="button" onClick={cancel} aria-label={t('cancelUpload', { name: file.name })}>
        {t('cancel')}
      </button>
    </li>
  )
}

type HeldFileProps = { readonly control: ControlProps; readonly file: ShownFile; readonly remove: () => void }

function HeldFile({ control: { field }, file, remove }: HeldFileProps) {
  const preview = file.url ? undefined : previewOf(file)
  return (
    <li>
      {preview !== undefined && isPicture(file) && <img className="picture whole" src={preview} alt="" />}
      <WholeFile field={field} file={file} />
      <button type="button" onClick={remove} aria-label={t('removeFile', { name: file.name })}>
        {t('remove')}
      </button>
    </li>
  )
}

/** Files that are dragged over the field. Other drags, such as of texts, are left alone. */
function useDrop(add: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return {
    isOver,
    on: {
      onDragOver(event: DragEvent) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        add([...event.dataTransfer.files])
      },
    },
  }
}

export function FileInput(props: ControlProps) {
  const { field, id, describedBy, isInvalid, isRequired } = props
  const { isMany, uploads, files, add, retry, cancel, remove } = useUploads(props)
  const { isOver, on } = useDrop(add)
  const chooser = useRef<HTMLInputElement>(null)
  const isFull = isMany && files.length + uploads.length >= (field.file?.filesMax ?? 1)
  const word = isMany ? 'addFiles' : files.length > 0 ? 'replaceFile' : 'chooseFile'
  return (
    <fieldset className="files-input" data-over={isOver || undefined} data-invalid={isInvalid || undefined} {...on}>
      <legend>
        {field.label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </legend>
      <ul className="files">
        {files.map((file) => (
          <HeldFile key={file.id} control={props} file={file} remove={() => remove(file)} />
        ))}
        {uploads.map((one) => (
          <UploadLine key={one.key} upload={one} retry={() => retry(one)} cancel={() => cancel(one)} />
        ))}
      </ul>
      <input
        ref={chooser}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={field.label}
        multiple={isMany}
        accept={field.file?.types?.join(',')}
        onChange={({ target }) => {
          add([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <button
        type="button"
        id={id}
        aria-describedby={describedBy}
        disabled={isFull}
        onClick={() => chooser.current?.click()}
      >
        {t(word)}
      </button>{' '}
      <span className="quiet">{t('dropFiles')}</span>
    </fieldset>
  )
}
