/**
 * The history of a record: its versions, the newest first, each with the fields that differ from
 * the version before it, or from another one. A version can be written again.
 */
import { useQuery } from '@tanstack/react-query'
import type { ChildDescription, FieldDescription, ResourceDescription } from 'bindery-server/client'
import { useMemo, useState } from 'react'
import { client } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { keepRecord } from '../api/records.ts'
import { wholeRecord } from '../api/requested-fields.ts'
import { forgetRows, isSameValue, type Row, useRows } from '../api/rows.ts'
import { showField } from '../extend/own-value.tsx'
import { sayError } from '../shell/form-errors.ts'
import { notify, notifyError } from '../shell/notices.tsx'
import { useOneRun } from '../shell/use-one-run.ts'
import { t } from '../words/words.ts'
import { pathAt, type RecordPlace } from './record-place.ts'

type VersionsProps = {
  readonly place: RecordPlace
  readonly child: ChildDescription
  /** That of the versions. */
  readonly versions: ResourceDescription
}

/** The action of the record that writes one of its versions again. */
export const revertAction = 'revert'

/** Those that record and version have. The time of the last write differs in each version. */
function sharedFields({ resource }: RecordPlace, versions: ResourceDescription): readonly FieldDescription[] {
  const stamps = resource.fields.filter(({ type, settable }) => type === 'timestamp' && settable.length === 0)
  return versions.fields.filter(
    ({ name }) => resource.fields.some((field) => field.name === name) && !stamps.some((stamp) => stamp.name === name),
  )
}

type VersionProps = VersionsProps & {
  readonly version: Row
  /** Undefined for the oldest one. */
  readonly before: Row | undefined
  readonly isNewest: boolean
}

function nameOf({ fields }: ResourceDescription, name: string): FieldDescription | undefined {
  return fields.find((field) => field.name === name)
}

type Difference = { readonly fields: readonly string[]; readonly from: Row; readonly to: Row }

/** The server compares: it knows what the caller may read of both. */
function useDifference({ place, child }: VersionsProps, from: unknown, to: unknown) {
  return useQuery({
    queryKey: [child.resource, 'difference', pathAt(place), from, to],
    enabled: from !== undefined,
    queryFn: async ({ signal }) => {
      const path = `/api/v1${pathAt(place)}/${child.path}/difference`
      const { body } = await client.send('GET', path, { query: { from, to }, signal })
      return body as Difference
    },
  })
}

type DifferencesProps = VersionProps & {
  readonly fields: readonly FieldDescription[]
  readonly others: readonly Row[]
}

/** The values of the first version, or what another one has other values of. */
function Differences(props: DifferencesProps) {
  const { version, before, versions, fields: own, others } = props
  const [against, setAgainst] = useState(before?.historyVersion)
  const { data, error } = useDifference(props, against, version.historyVersion)
  if (error && !data) return <p className="problem">{sayError(error)}</p>
  if (against !== undefined && !data) return <p className="quiet">{t('loading')}</p>
  const fields = data ? versions.fields.filter(({ name }) => data.fields.includes(name)) : own
  const from = data?.from
  return (
    <>
      {others.length > 0 && (
        <label className="against">
          {t('comparedWith')}{' '}
          <select value={String(against ?? '')} onChange={({ target }) => setAgainst(target.value || undefined)}>
            {before === undefined && <option value="">{t('noVersion')}</option>}
            {others.map(({ historyVersion }) => (
              <option key={String(historyVersion)}>{String(historyVersion)}</option>
            ))}
          </select>
        </label>
      )}
      {fields.length === 0 && <p className="quiet">{t('noDifference')}</p>}
      {fields.length > 0 && (
        <table className="differences">
          <thead>
            <tr>
              <th scope="col">{t('field')}</th>
              {from && <th scope="col">{t('valueIn', { version: String(from.historyVersion) })}</th>}
              <th scope="col">{t('valueIn', { version: String(version.historyVersion) })}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.name}>
                <th scope="row">{field.label}</th>
                {from && <td>{showField(versions, field, from)}</td>}
                <td>{showField(versions, field, data?.to ?? version)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

async function revert({ place }: VersionsProps, historyVersion: unknown): Promise<void> {
  const { resource } = place
  const { body } = await client.send('POST', `/api/v1${pathAt(place)}/${revertAction}`, { body: { historyVersion } })
  forgetRows(resource)
  keepRecord(resource, body as Row)
  await queries.invalidateQueries({ queryKey: [resource.slug, 'can'] })
  notify({ text: t('reverted', { version: String(historyVersion) }) })
}

function Version(props: VersionProps & Pick<DifferencesProps, 'others'>) {
  const { place, versions, version, before, isNewest } = props
  const once = useOneRun()
  const [isOpen, setOpen] = useState(false)
  const all = sharedFields(place, versions)
  const fields = all.filter(({ name }) => (before ? !isSameValue(version[name], before[name]) : version[name] != null))
  const shown = (name: string) => {
    const field = nameOf(versions, name)
    return field && showField(versions, field, version)
  }
  const mayRevert = !isNewest && place.resource.actions.some(({ name }) => name === revertAction)
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="version-number">{String(version.historyVersion)}</span>
          <span>{shown('historyAt')}</span>
          <span>{shown('historyBy') ?? shown('historyCredential')}</span>
          <span className="quiet">{fields.map(({ label }) => label).join(', ')}</span>
        </summary>
        {isOpen && <Differences {...props} fields={fields} />}
        {mayRevert && (
          <button type="button" onClick={() => once(() => revert(props, version.historyVersion).catch(notifyError))}>
            {t('revertTo', { version: String(version.historyVersion) })}
          </button>
        )}
      </details>
    </li>
  )
}

export function Versions(props: VersionsProps) {
  const { place, child, versions } = props
  const below = useMemo(() => ({ ...versions, path: `${pathAt(place)}/${child.path}` }), [versions, place, child])
  const list = useRows(
    below,
    useMemo(() => wholeRecord(versions), [versions]),
  )
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? []
  if (list.error && !list.data) return <p className="problem">{list.error.message}</p>
  if (list.isPending) return <p className="quiet">{t('loading')}</p>
  if (rows.length === 0) return <p className="quiet">{t('noVersions')}</p>
  // The last of a page is compared with the first of the next one.
  const known = list.hasNextPage ? rows.slice(0, -1) : rows
  return (
    <>
      <ol className="versions">
        {known.map((version, i) => (
          <Version
            key={String(version.historyId)}
            {...props}
            version={version}
            before={rows[i + 1]}
            others={known.filter((one) => one !== version)}
            isNewest={i === 0}
          />
        ))}
      </ol>
      {list.hasNextPage && (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('olderVersions')}
        </button>
      )}
    </>
  )
}
