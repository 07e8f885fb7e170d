/** "Copy as": the list as a request of curl, of the typed client, of GraphQL. */
import type { ResourceDescription } from 'bindery-server/client'
import { serverUrl } from '../address/place.ts'
import type { ListQuery } from '../address/request-line.ts'
import { tenantHere } from '../address/router.ts'
import { copyText } from '../shell/notices.tsx'
import { t } from '../words/words.ts'
import { asClient, asCurl, asGraphql } from './copy-as.ts'

type CopyPanelProps = {
  readonly resource: ResourceDescription
  readonly query: ListQuery
  readonly fields: readonly string[]
}

export function CopyPanel(props: CopyPanelProps) {
  const asked = { ...props, tenant: tenantHere() }
  const forms = [
    ['curl', asCurl(serverUrl, asked)],
    [t('clientCode'), asClient(asked)],
    ['GraphQL', asGraphql(asked)],
  ] as const
  return (
    <section className="panel copies" aria-label={t('copyAs')}>
      {forms.map(([label, text]) => (
        <div key={label}>
          <h2>{label}</h2>
          <button type="button" aria-label={t('copyForm', { label })} onClick={() => copyText(text)}>
            {t('copy')}
          </button>
          <pre>
            <code>{text}</code>
          </pre>
        </div>
      ))}
    </section>
  )
}
