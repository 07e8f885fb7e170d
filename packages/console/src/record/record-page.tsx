/** One record: its fields, to read and to change. */
import { go, hrefOf } from '../address/router.ts'
import { useResource } from '../api/declarations.ts'
import { useRecord } from '../api/records.ts'
import { OwnActions } from '../extend/own-actions.tsx'
import { showField } from '../extend/own-value.tsx'
import { groupFields } from '../fields/field-groups.ts'
import { t } from '../words/words.ts'

export function RecordPage({ slug, id }: { readonly slug: string; readonly id: string }) {
  const { data: resource } = useResource(slug)
  return resource ? <Shown resource={resource} id={id} /> : <p className="quiet">{t('loading')}</p>
}

type ShownProps = { readonly resource: NonNullable<ReturnType<typeof useResource>['data']>; readonly id: string }

function Shown({ resource, id }: ShownProps) {
  const { data: record, error } = useRecord(resource, id)
  const { slug, plural, title } = resource
  if (error) return <p role="alert">{error.message}</p>
  if (!record) return <p className="quiet">{t('loading')}</p>
  return (
    <>
      <button type="button" className="plain" onClick={() => go(hrefOf([slug]))}>
        ← {t('back', { plural })}
      </button>
      <h1>{String(record[title])}</h1>
      <OwnActions resource={resource} record={record} />
      {groupFields(resource).map(({ heading, fields }) => (
        <section key={heading ?? ''}>
          {heading && <h2>{heading}</h2>}
          <dl className="facts">
            {fields.map((field) => (
              <div key={field.name}>
                <dt>{field.label}</dt>
                <dd>{showField(resource, field, record)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  )
}
