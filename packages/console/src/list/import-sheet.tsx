/** A CSV file becomes records: first tried, with errors by line, and then imported. */

import type { ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { makeRecords, type Outcome, tryRecords } from '../api/uploads.ts'
import { sayError } from '../shell/form-errors.ts'
import { notify } from '../shell/notices.tsx'
import { Sheet } from '../shell/sheet.tsx'
import { t } from '../words/words.ts'
import { parseCsv } from './csv.ts'
import { recordsIn } from './new-records.ts'

const linesMax = 10_000

type ImportSheetProps = { readonly resource: ResourceDescription; onClose(): void }

export function ImportSheet({ resource, onClose }: ImportSheetProps) {
  const [outcome, setOutcome] = useState<Outcome>()
  const [ignored, setIgnored] = useState<readonly string[]>([])
  const [said, setSaid] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function busy(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    setSaid(t('working'))
    await work().catch((error: Error) => setSaid(sayError(error)))
    setBusy(false)
  }
  const tryFile = (file: File) =>
    busy(async () => {
      setOutcome(undefined)
      const text = await file.text()
      // Decoding has put this sign where the bytes are no UTF-8: names would be stored with it.
      if (text.includes('\ufffd')) throw new Error(t('notUtf8'))
      const { records, unknown, errors } = recordsIn(parseCsv(text), resource.fields)
      if (records.length > linesMax) throw new Error(t('tooManyLines', { max: linesMax }))
      setIgnored(unknown)
      const tried = await tryRecords(resource, records, (done, all) =>
        setSaid(t('rowsOf', { loaded: done, total: all })),
      )
      setOutcome({ ...tried, errors: [...errors, ...tried.errors].toSorted((a, b) => a.line - b.line) })
      setSaid(t('linesGood', { good: tried.good.length, all: records.length + errors.length }))
    })
  const load = (good: Outcome['good']) =>
    busy(async () => {
      let stored = 0
      await makeRecords(resource, good, (done, all) => {
        stored = done
        setSaid(t('rowsOf', { loaded: done, total: all }))
      }).catch((error: Error) => {
        // A second import of them would store them twice.
        setOutcome((now) => now && { ...now, good: now.good.slice(stored) })
        throw new Error(t('importStopped', { stored, all: good.length, error: sayError(error) }))
      })
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
      {outcome?.stoppedAt !== undefined && <p className="problem">{t('tryStopped', { line: outcome.stoppedAt })}</p>}
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
