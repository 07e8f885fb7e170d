/** The backups there are, one more now, and how to restore one. */
import { t } from '../words/words.ts'
import { act, FactsPage, FactsTable, printBytes, printTime, useFacts } from './facts.tsx'

type Backups = {
  readonly place: string | null
  readonly files: readonly { name: string; at: string; bytes: number }[]
  readonly problem?: string
  readonly schedule: string | null
  readonly isTaking: boolean
  readonly failed: { at: string; why: string } | null
}
const lookMs = 3_000

export function BackupsPage() {
  const facts = useFacts<Backups>('backups', lookMs)
  return (
    <FactsPage title={t('backups')} facts={facts}>
      {({ place, files, problem, schedule, isTaking, failed }) => (
        <>
          <p>{place === null ? t('backupNoPlace') : t('backupPlace', { place, schedule: schedule ?? t('none') })}</p>
          {failed && <p className="problem">{t('backupFailed', { at: printTime(failed.at), why: failed.why })}</p>}
          {problem && <p className="problem">{problem}</p>}
          <button
            type="button"
            className="main"
            disabled={place === null || isTaking}
            onClick={() => void act('backups/take', t('backupBegun'))}
          >
            {isTaking ? t('backupTaking') : t('backupNow')}
          </button>
          <FactsTable
            label={t('backups')}
            heads={[t('name'), t('time'), t('size')]}
            rows={files.map(({ name, at, bytes }) => ({ key: name, cells: [name, printTime(at), printBytes(bytes)] }))}
          />
          <h2>{t('restore')}</h2>
          <p>{t('restoreHow')}</p>
          <code>{`bindery restore ${place ?? 'FOLDER'}/${files[0]?.name ?? 'NAME'}`}</code>
        </>
      )}
    </FactsPage>
  )
}
