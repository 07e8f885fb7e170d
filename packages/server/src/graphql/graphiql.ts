/**
 * Serves GraphiQL, the page for trying queries, from this server, so that it needs no other host.
 * The page has no inline script, and scripts of other origins may not run.
 */
import type { HttpResponse } from '../http/messages/exchange.ts'
import { answerPage, editorPolicy } from '../http/pages/html-page.ts'
import { makePageFiles, packagedFile, scriptType, styleType, writtenFile } from '../http/pages/page-files.ts'

export type Graphiql = {
  page(): HttpResponse
  /** `asset('graphiql.min.js')`; undefined for a name that is not on the list. */
  asset(name: string): HttpResponse | undefined
}

export const assetsPath = '/graphql/assets'

/**
 * Lines wrap, so that none is cut. The script corrects three findings of axe after GraphiQL has
 * drawn them. Editors are text areas without a label (`label`) that only a mouse scrolls
 * (`scrollable-region-focusable`). A tab is not a control but holds buttons (`nested-interactive`),
 * so the tabs become a list with one current item. Every operation is asked for as events,
 * since GraphiQL knows a subscription only a moment after it was typed.
 */
const boot = `'use strict'
const place = document.getElementById('graphiql')
function nameOf(editor) {
  if (editor.closest('.graphiql-query-editor')) return 'Query'
  if (editor.closest('.result-window')) return 'Result'
  return editor === document.querySelector('.graphiql-editor-tool .CodeMirror') ? 'Variables' : 'Headers'
}
const seen = new WeakSet()
new MutationObserver(() => {
  for (const element of place.querySelectorAll('.CodeMirror')) {
    if (seen.has(element) || !element.CodeMirror) continue
    seen.add(element)
    element.CodeMirror.setOption('lineWrapping', true)
    element.CodeMirror.getInputField().setAttribute('aria-label', nameOf(element))
    element.CodeMirror.getScrollerElement().tabIndex = 0
  }
  for (const element of place.querySelectorAll('.graphiql-tabs, .graphiql-tab, #graphiql-session')) {
    element.removeAttribute('role')
    element.removeAttribute('aria-selected')
    const isCurrent = element.classList.contains('graphiql-tab-active')
    element.querySelector(':scope > .graphiql-tab-button')?.setAttribute('aria-current', isCurrent)
  }
}).observe(place, { childList: true, subtree: true, attributeFilter: ['aria-selected'] })
async function* resultsOf(events) {
  let text = ''
  for await (const piece of events.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + piece).split('\\n\\n')
    text = blocks.pop()
    for (const block of blocks) {
      if (/^event: complete$/m.test(block)) return
      const data = /^event: next$/m.test(block) && /^data: (.*)$/m.exec(block)
      if (data) yield JSON.parse(data[1])
    }
  }
}
function follow(events, leaving) {
  const results = resultsOf(events)
  return {
    next: () => results.next().catch((error) => {
      if (leaving.signal.aborted) return { done: true, value: undefined }
      throw error
    }),
    return: async () => (leaving.abort(), { done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
async function ask(body, { headers }) {
  const leaving = new AbortController()
  const sent = { 'content-type': 'application/json', accept: 'text/event-stream, application/json', ...headers }
  const answer = await fetch(location.pathname, { method: 'POST', headers: sent, body: JSON.stringify(body), signal: leaving.signal })
  const isFollowed = answer.headers.get('content-type').startsWith('text/event-stream')
  return isFollowed ? follow(answer.body, leaving) : answer.json()
}
ReactDOM.createRoot(place).render(
  React.createElement(GraphiQL, {
    fetcher: ask,
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
    defaultQuery: '# Every query there is.\\n# Ctrl+Space completes, Ctrl+Enter runs.\\n# For guarded fields, put this into\\n# the headers below:\\n# {"Authorization": "Bearer <token>"}\\n{\\n  __schema {\\n    queryType {\\n      fields {\\n        name\\n        description\\n      }\\n    }\\n  }\\n}\\n',
  }),
)
`

/** GraphiQL's grey and blue have too little contrast on its own backgrounds. */
const pageStyle = `html, body, #graphiql { height: 100%; margin: 0; overflow: hidden }
.graphiql-container, .CodeMirror-info, .CodeMirror-lint-tooltip, reach-portal { --alpha-secondary: 0.9; --alpha-tertiary: 0.85 }
@media (prefers-color-scheme: light) {
  body:not(.graphiql-dark) :is(.graphiql-container, .CodeMirror-info, .CodeMirror-lint-tooltip, reach-portal) { --color-info: 208, 100%, 36%; --color-success: 158, 80%, 26%; --color-warning: 36, 100%, 28%; --color-tertiary: 188, 100%, 26% }
}
/* On a phone the result is below the query: side by side neither would fit. */
@media (max-width: 640px) { .graphiql-container #graphiql-session { flex-direction: column } }
noscript { display: block; padding: 2rem; font-family: system-ui, sans-serif }
`

const body = `<main id="graphiql"></main>
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
