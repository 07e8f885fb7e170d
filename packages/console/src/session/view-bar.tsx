/** Above all pages: whose view is shown, and its end. */
import { useEffect } from 'react'
import { queries } from '../api/queries.ts'
import { onView, onViewExpired, showView, useView } from '../api/viewing.ts'
import { notify } from '../shell/notices.tsx'
import { t } from '../words/words.ts'

export function ViewBar() {
  const view = useView()
  // Another caller has other answers.
  useEffect(() => onView(() => void queries.resetQueries()), [])
  useEffect(() => onViewExpired(({ name }) => notify({ text: t('viewEnded', { name }) })), [])
  if (!view) return null
  return (
    <p className="view-bar" role="status">
      {t('viewOf', { name: view.name, role: view.role })}
      <button type="button" onClick={() => showView(undefined)}>
        {t('endView')}
      </button>
    </p>
  )
}
