/** "View as Grace": takes the view of a user, and says above all pages whose view it is. */
import type { ResourceDescription } from 'bindery-server/client'
import { useEffect } from 'react'
import { client } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import type { Row } from '../api/rows.ts'
import { onView, showView, useView, type View } from '../api/viewing.ts'
import { t } from '../words/words.ts'

export async function viewAs(userId: string): Promise<void> {
  // The client sends no token to `/api/v1/auth`, where log-ins are.
  const { body } = await client.send('POST', '/auth/view-as', { body: { userId } })
  showView(body as View)
}

/** The name of the user whose record is open; undefined on any other page. */
export function viewableName([slug, id]: readonly string[]): string | undefined {
  const resource = queries.getQueryData<ResourceDescription>(['_resources', slug])
  if (id === undefined || !resource?.fields.some(({ secret }) => secret)) return undefined
  const record = queries.getQueryData<Row>([slug, 'record', id])
  return String(record?.[resource.title] ?? id)
}

export function ViewBar() {
  const view = useView()
  // Another caller has other answers.
  useEffect(() => onView(() => void queries.resetQueries()), [])
  if (!view) return null
  return (
    <p className="view-bar" role="status">
      {t('viewOf', { email: view.email, role: view.role })}
      <button type="button" onClick={() => showView(undefined)}>
        {t('endView')}
      </button>
    </p>
  )
}
