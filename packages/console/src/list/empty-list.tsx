/** A list without records: what a person may do about it. */
import type { ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { go, hrefOf } from '../address/router.ts'
import { useResources } from '../api/declarations.ts'
import { makeRecords, pathsBelow, requiredReferences } from '../api/uploads.ts'
import { loaded } from '../shell/loaded.tsx'
import { notify, notifyError } from '../shell/notices.tsx'
import { inSentence, t } from '../words/words.ts'
import { type NewRecord, samplesOf } from './new-records.ts'

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

/** Leads to the records below which new ones are made. */
function MadeBelow({ resource, above }: { readonly resource: ResourceDescription; readonly above: string }) {
  const { data: resources = [] } = useResources()
  const found = resources.find(({ slug }) => slug === above)
  if (!found) return null
  return (
    <button type="button" className="main" onClick={() => go(hrefOf([above]))}>
      {t('createBelow', { label: inSentence(resource.label), plural: inSentence(found.plural) })}
    </button>
  )
}

export function EmptyList({ resource }: { readonly resource: ResourceDescription }) {
  const { plural, label, slug, operations, fields, madeBelow } = resource
  const [isBusy, setBusy] = useState(false)
  async function makeSamples(): Promise<void> {
    setBusy(true)
    try {
      const records = samplesOf(fields, samples, await requiredReferences(resource))
      const paths = madeBelow && (await pathsBelow(madeBelow, samples))
      const made = paths?.map((path, i) => ({ ...(records[i] as NewRecord), path })) ?? records
      await makeRecords(resource, made, () => undefined)
      notify({ text: t('imported', { count: made.length }) })
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
          {madeBelow ? (
            <MadeBelow resource={resource} above={madeBelow.resource} />
          ) : (
            <>
              <button type="button" className="main" onClick={() => go(hrefOf([slug, '_new']))}>
                {t('create', { label: inSentence(label) })}
              </button>
              <ImportButton resource={resource} />
            </>
          )}
          <button type="button" disabled={isBusy} onClick={() => void makeSamples()}>
            {t('sampleData')}
          </button>
        </p>
      )}
    </section>
  )
}
