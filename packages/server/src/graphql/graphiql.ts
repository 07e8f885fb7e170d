/**
 * GraphiQL, the page where people try queries. It is served from here, so that it needs no other host. The page has no inline
 * script, and scripts from elsewhere may not run.
 */
import type { HttpResponse } from '../http/exchange.ts'
import { answerPage, editorPolicy } from '../http/page-answer.ts'
import { makePageFiles, packagedFile, scriptType, styleType, writtenFile } from '../http/page-files.ts'

export type Graphiql = {
  page(): HttpResponse
  /** `asset('graphiql.min.js')`; undefined for a name that is not on the list. */
  asset(name: string): HttpResponse | undefined
}

export const assetsPath = '/graphql/assets'

const boot = `'use strict'
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: location.pathname }),
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
    defaultQuery: '# Every query there is. Ctrl+Space completes, Ctrl+Enter runs.\\n# For guarded fields, put {"Authorization": "Bearer <token>"} into the headers below.\\n{\\n  __schema {\\n    queryType {\\n      fields {\\n        name\\n        description\\n      }\\n    }\\n  }\\n}\\n',
  }),
)
`

const pageStyle = `html, body, #graphiql { height: 100%; margin: 0; overflow: hidden }
/* On a telephone the result stands below the query: beside it there would be no room for either. */
@media (max-width: 640px) { .graphiql-container #graphiql-session { flex-direction: column } }
noscript { display: block; padding: 2rem; font-family: system-ui, sans-serif }
`

const body = `<div id="graphiql"></div>
<noscript>GraphiQL needs JavaScript. The schema answers POST requests without it.</noscript>`

export function makeGraphiql(): Graphiql {
  const files = makePageFiles(assetsPath, {
    'graphiql.min.css': packagedFile('graphiql.min.css'),
    'page.css': writtenFile(styleType, pageStyle),
    'react.production.min.js': packagedFile('react.production.min.js'),
    'react-dom.production.min.js': packagedFile('react-dom.production.min.js'),
    'graphiql.min.js': packagedFile('graphiql.min.js'),
    'boot.js': writtenFile(scriptType, boot),
  })
  return {
    page: () => answerPage({ title: 'GraphiQL', files: files.addresses(), body, policy: editorPolicy }),
    asset: files.answer,
  }
}
