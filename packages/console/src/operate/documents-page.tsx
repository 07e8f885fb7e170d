/** The documents of this service, and the address for agents. */
import { serverUrl } from '../address/place.ts'
import { t } from '../words/words.ts'
import { FactsTable } from './facts.tsx'

const pages = {
  '/docs': 'docReference',
  '/openapi.json': 'docOpenapi',
  '/graphql': 'docGraphql',
  '/graphql/scalars': 'docScalars',
  '/errors': 'docErrors',
  '/readyz': 'docReady',
} as const
/** Programs use these: a browser has nothing to show there. */
const programs = { [`${serverUrl}/mcp`]: 'docAgents', 'npx bindery sdl': 'docSdl' } as const

export function DocumentsPage() {
  return (
    <div className="operate">
      <h1>{t('documents')}</h1>
      <FactsTable
        label={t('documents')}
        heads={[t('name'), t('about')]}
        rows={[
          ...Object.entries(pages).map(([place, about]) => ({
            key: place,
            cells: [
              <a key="place" href={serverUrl + place}>
                {place}
              </a>,
              t(about),
            ],
          })),
          ...Object.entries(programs).map(([place, about]) => ({
            key: place,
            cells: [<code key="place">{place}</code>, t(about)],
          })),
        ]}
      />
    </div>
  )
}
