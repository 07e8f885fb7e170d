/** A list without records: what a person may do about it. */
import type { ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { go, hrefOf } from '../address/router.ts'
import { makeRecords, requiredReferences } from '../api/uploads.ts'
import { loaded } from '../shell/loaded.tsx'
import { notify, notifyError } from '../shell/notices.tsx'
import { inSentence, t } from '../words/words.ts'
import { samplesOf } from './new-records.ts'

const ImportSheet = loaded(() => import('./import-sheet.tsx').then((part) => part.ImportSheet))
const samples = 10

export function ImportButton({ resource }: { readonly resource: ResourceDescription }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {t('importCsv')}
      </button>
      {isOpen && <ImportSheet resource={resource} onClose={() => setOpen(false)} />}
    </>
  )
}

export function EmptyList({ resource }: { readonly resource: ResourceDescription }) {
  const { plural, label, slug, operations, fields } = resource
  const [isBusy, setBusy] = useState(false)
  async function makeSamples(): Promise<void> {
    setBusy(true)
    try {
      const records = samplesOf(fields, samples, await requiredReferences(resource))
      await makeRecords(resource, records, () => undefined)
      notify({ text: t('imported', { count: samples }) })
    } catch (error) {
      notifyError(error)
    }
    setBusy(false)
  }
  return (
    <section className="empty">
      <p>{t('empty', { plural: inSentence(plural) })}</p>
      {operations.includes('create') && (
        <p className="sheet-row">
          <button type="button" className="main" onClick={() => go(hrefOf([slug, '_new']))}>
            {t('create', { label: inSentence(label) })}
          </button>
          <ImportButton resource={resource} />
          <button type="button" disabled={isBusy} onClick={() => void makeSamples()}>
            {t('sampleData')}
          </button>
        </p>
      )}
    </section>
  )
}
