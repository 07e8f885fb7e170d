/** The head of a record: its title, its id, its actions, and what is done with the whole record. */
import { useState } from 'react'
import { go, hrefOf } from '../address/router.ts'
import { useOperates } from '../api/declarations.ts'
import { deleteRecord } from '../api/records.ts'
import type { Row } from '../api/rows.ts'
import { keepTitle, titleIn } from '../api/titles.ts'
import { viewAs, viewableOf } from '../api/view-as.ts'
import { OwnActions } from '../extend/own-actions.tsx'
import { copyText, notify, notifyError } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { WhyButton } from '../shell/why.tsx'
import { inSentence, t } from '../words/words.ts'
import { dropDraft, keepDraft } from './draft.ts'
import { RecordActions, refusalsAt } from './record-actions.tsx'
import { newId, type RecordPlace } from './record-place.ts'
import type { Can } from './use-can.ts'
import { errorsIn } from './use-record-form.ts'

type RecordProps = { readonly place: RecordPlace; readonly record: Row }
type RecordHeadProps = RecordProps & { readonly can: Can | null | undefined }

function DeleteSheet({ place, record, onClose }: RecordProps & { onClose(): void }) {
  const { resource, above } = place
  const [problem, setProblem] = useState('')
  async function remove(): Promise<void> {
    try {
      await deleteRecord(resource, record)
      dropDraft(place)
      notify({ text: t('deleted', { label: resource.label }) })
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
        <button type="button" className="danger" onClick={() => void remove()}>
          {t('delete')}
        </button>
      </div>
    </Sheet>
  )
}

/** Opens the form of a new record with the values of this one. Values that are unique are left out. */
function duplicate(place: RecordPlace, record: Row): void {
  const { resource, parts, above } = place
  const copied = resource.fields.filter(
    ({ name, settable, secret, unique }) => settable.includes('create') && !secret && !unique && record[name] != null,
  )
  const changes = Object.fromEntries(copied.map(({ name }) => [name, record[name]]))
  const next = [...parts.slice(0, -1), newId]
  keepDraft({ ...place, id: newId, parts: next, above }, { changes })
  go(hrefOf(next))
}

/** Those who run the service may see what a user sees. */
function ViewAsButton({ place: { resource, person }, record }: RecordProps) {
  const isOffered = useOperates()
  const user = viewableOf(resource, record)
  if (!isOffered || !user || user.id === person) return null
  return (
    <button type="button" onClick={() => void viewAs(user).catch(notifyError)}>
      {t('viewAs', user)}
    </button>
  )
}

export function RecordHead({ place, record, can }: RecordHeadProps) {
  const { resource, id, isSingle } = place
  const [isDeleting, setDeleting] = useState(false)
  keepTitle(resource, record)
  const may = (name: string) => !isSingle && resource.operations.includes(name) && can?.[name] !== false
  return (
    <>
      <div className="head">
        <h1>{isSingle ? resource.label : titleIn(resource, record)}</h1>
        <span className="quiet">{resource.label}</span>
      </div>
      <div className="tools">
        <RecordActions place={place} record={record} can={can} />
        <OwnActions resource={resource} record={record} />
        {resource.operations.includes('create') && !isSingle && (
          <button type="button" onClick={() => duplicate(place, record)}>
            {t('duplicate')}
          </button>
        )}
        {may('delete') && (
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            {t('deleteOne')}
          </button>
        )}
        <ViewAsButton place={place} record={record} />
        <button type="button" className="plain" onClick={() => copyText(id)}>
          {t('copyId')}
        </button>
        <button type="button" className="plain" onClick={() => copyText(location.href)}>
          {t('copyLink')}
        </button>
        <WhyButton refusals={refusalsAt({ place, record, can })} />
      </div>
      {isDeleting && <DeleteSheet place={place} record={record} onClose={() => setDeleting(false)} />}
    </>
  )
}
