/** A CSV file becomes records: first tried, with errors by line, and then imported. */
import type { ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { makeRecords, type Outcome, tryRecords } from '../api/uploads.ts'
import { notify } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { t } from '../words/words.ts'
import { parseCsv } from './csv.ts'
import { recordsIn } from './new-records.ts'

const linesMax = 1_000

type ImportSheetProps = { readonly resource: ResourceDescription; onClose(): void }

export function ImportSheet({ resource, onClose }: ImportSheetProps) {
  const [outcome, setOutcome] = useState<Outcome>()
  const [ignored, setIgnored] = useState<readonly string[]>([])
  const [said, setSaid] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function busy(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    setSaid(t('working'))
    await work().catch((error: Error) => setSaid(error.message))
    setBusy(false)
  }
  const tryFile = (file: File) =>
    busy(async () => {
      setOutcome(undefined)
      const { records, unknown } = recordsIn(parseCsv(await file.text()), resource.fields)
      if (records.length > linesMax) throw new Error(t('tooManyLines', { max: linesMax }))
      setIgnored(unknown)
      const tried = await tryRecords(resource, records)
      setOutcome(tried)
      setSaid(t('linesGood', { good: tried.good.length, all: records.length }))
    })
  const load = (good: Outcome['good']) =>
    busy(async () => {
      await makeRecords(resource, good, (done, all) => setSaid(t('rowsOf', { loaded: done, total: all })))
      notify({ text: t('imported', { count: good.length }) })
      onClose()
    })
  return (
    <Sheet label={t('importCsv')} onClose={onClose}>
      <p className="quiet">
        {t('importHelp', {
          names: resource.fields
            .filter((one) => one.settable.includes('create'))
            .map(({ name }) => name)
            .join(', '),
        })}
      </p>
      <input
        type="file"
        accept=".csv,text/csv"
        aria-label={t('csvFile')}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) void tryFile(file)
        }}
      />
      <p>
        <output>{said}</output>
      </p>
      {ignored.length > 0 && <p className="problem">{t('ignoredColumns', { names: ignored.join(', ') })}</p>}
      {outcome && outcome.errors.length > 0 && (
        <ul className="line-errors">
          {outcome.errors.map(({ line, error }) => (
            <li key={line}>{t('lineError', { line, error })}</li>
          ))}
        </ul>
      )}
      <p className="sheet-row">
        {outcome && outcome.good.length > 0 && (
          <button type="button" className="main" disabled={isBusy} onClick={() => void load(outcome.good)}>
            {t('importCount', { count: outcome.good.length })}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {t('cancel')}
        </button>
      </p>
    </Sheet>
  )
}
