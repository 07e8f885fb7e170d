/** The documents of this service, and the address for agents. */
import { serverUrl } from '../address/place.ts'
import { t } from '../words/words.ts'

const places = ['/docs', '/graphql', '/openapi.json', '/mcp'] as const

export function DocumentsPage() {
  return (
    <div className="operate">
      <h1>{t('documents')}</h1>
      <ul>
        {places.map((place) => (
          <li key={place}>
            {place === '/mcp' ? <code>{serverUrl + place}</code> : <a href={serverUrl + place}>{place}</a>}
          </li>
        ))}
      </ul>
    </div>
  )
}
