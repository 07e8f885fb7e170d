/** Deletes a record, after a question. */
import { useState } from 'react'
import { go, hrefOf } from '../address/router.ts'
import { deleteRecord } from '../api/records.ts'
import type { Row } from '../api/rows.ts'
import { titleIn } from '../api/titles.ts'
import { canRestore, restoreRecord } from '../api/trash.ts'
import { errorsIn } from '../shell/form-errors.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { useOneRun } from '../shell/use-one-run.ts'
import { inSentence, t } from '../words/words.ts'
import { dropDraft } from './draft.ts'
import type { RecordPlace } from './record-place.ts'
import type { Can } from './use-can.ts'

type RecordProps = { readonly place: RecordPlace; readonly record: Row }

/** A deleted record that went to the trash comes back. Records below others have no such path. */
function undoOf({ resource, id, parts }: RecordPlace) {
  if (parts.length > 2 || !canRestore(resource)) return {}
  async function run(): Promise<void> {
    try {
      await restoreRecord(resource, id)
      notify({ text: t('broughtBack', { label: resource.label }) })
    } catch (error) {
      notifyError(error)
    }
  }
  return { act: { label: t('undo'), run: () => void run() } }
}

function DeleteSheet({ place, record, onClose }: RecordProps & { onClose(): void }) {
  const { resource, above } = place
  const [problem, setProblem] = useState('')
  const once = useOneRun()
  async function remove(): Promise<void> {
    try {
      await deleteRecord(resource, record)
      dropDraft(place)
      notify({ text: t('deleted', { label: resource.label }), ...undoOf(place) })
      go(hrefOf(above), { replace: true })
    } catch (error) {
      setProblem(errorsIn(error).message)
    }
  }
  return (
    <Sheet label={t('sure', { label: inSentence(resource.label) })} isAlert onClose={onClose}>
      <p>
        <strong>{titleIn(resource, record)}</strong>
      </p>
      <p role="alert" className="problem">
        {problem}
      </p>
      <div className="tools">
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
        <button type="button" className="danger" onClick={() => once(remove)}>
          {t('delete')}
        </button>
      </div>
    </Sheet>
  )
}

/** Nothing where the caller may not delete this record. */
export function DeleteButton({ can, ...shown }: RecordProps & { readonly can: Can | null | undefined }) {
  const [isDeleting, setDeleting] = useState(false)
  if (!shown.place.resource.operations.includes('delete') || can?.delete === false) return null
  return (
    <>
      <button type="button" className="danger" onClick={() => setDeleting(true)}>
        {t('deleteOne')}
      </button>
      {isDeleting && <DeleteSheet {...shown} onClose={() => setDeleting(false)} />}
    </>
  )
}
