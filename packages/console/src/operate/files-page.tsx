/** The files of records: what they take, by field and by owner, and those that no record has. */
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, printBytes, printFigure, printTime, useFacts } from './facts.tsx'

type State = 'arriving' | 'ready' | 'attached' | 'released' | 'going'
type Use = { readonly files: number; readonly bytes: number }
type Group = Use & { readonly resource: string; readonly field: string; readonly state: State }
type Owner = Use & { readonly id: string; readonly tenant?: string }
type Loose = {
  readonly id: string
  readonly state: State
  readonly name: string
  readonly size: number
  readonly received: number
  readonly resource: string
  readonly field: string
  readonly owner: string
  readonly dueAt: string
}
type Files = {
  readonly groups: readonly Group[]
  readonly users: readonly Owner[]
  readonly tenants: readonly Owner[]
  readonly perUserMax: number | null
  readonly perTenantMax: number | null
  readonly loose: readonly Loose[]
  readonly looseCount: number
}

const lookMs = 60_000
const states = {
  arriving: 'fileArriving',
  ready: 'fileReady',
  attached: 'fileAttached',
  released: 'fileReleased',
  going: 'fileGoing',
} as const

function groupRow({ resource, field, state, files, bytes }: Group) {
  const key = `${resource} ${field} ${state}`
  return { key, cells: [`${resource}.${field}`, t(states[state]), printFigure(files), printBytes(bytes)] }
}

type OwnersProps = { readonly label: string; readonly owners: readonly Owner[]; readonly quota: number | null }

function Owners({ label, owners, quota }: OwnersProps) {
  if (owners.length === 0) return null
  const rows = owners.map(({ id, tenant, files, bytes }) => {
    const name = tenant === undefined ? id : `${tenant} ${id}`
    return { key: name, cells: [name, printFigure(files), printBytes(bytes), printBytes(quota)] }
  })
  return (
    <>
      <h2>{label}</h2>
      <FactsTable label={label} heads={[t('owner'), t('count'), t('size'), t('fileQuota')]} rows={rows} />
    </>
  )
}

function looseRow({ id, name, resource, field, state, received, size, owner, dueAt }: Loose) {
  const arrived = received === size ? printBytes(size) : `${printBytes(received)} / ${printBytes(size)}`
  return { key: id, cells: [name, `${resource}.${field}`, t(states[state]), arrived, owner, printTime(dueAt)] }
}

export function FilesPage() {
  const facts = useFacts<Files>('files', lookMs)
  return (
    <FactsPage title={t('files')} facts={facts}>
      {({ groups, users, tenants, perUserMax, perTenantMax, loose, looseCount }) => (
        <>
          <FactsTable
            label={t('files')}
            heads={[t('field'), t('state'), t('count'), t('size')]}
            rows={groups.map(groupRow)}
          />
          <Owners label={t('filesByUser')} owners={users} quota={perUserMax} />
          <Owners label={t('filesByTenant')} owners={tenants} quota={perTenantMax} />
          <h2>{t('looseFiles', { count: looseCount })}</h2>
          <p className="quiet">{t('looseFilesHelp')}</p>
          <FactsTable
            label={t('looseFiles', { count: looseCount })}
            heads={[t('name'), t('field'), t('state'), t('size'), t('owner'), t('goesAt')]}
            rows={loose.map(looseRow)}
          />
        </>
      )}
    </FactsPage>
  )
}
