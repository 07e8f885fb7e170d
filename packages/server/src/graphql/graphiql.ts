/**
 * GraphiQL, the page where people try queries. It is served from here, so that it needs no other host. The page has no inline
 * script, and scripts from elsewhere may not run.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { HttpResponse } from '../http/exchange.ts'

export type Graphiql = {
  page(): HttpResponse
  /** `asset('graphiql.min.js')`; undefined for a name that is not on the list. */
  asset(name: string): HttpResponse | undefined
}

export const assetsPath = '/graphql/assets'

const script = 'text/javascript; charset=utf-8'
const style = 'text/css; charset=utf-8'

type Source = { readonly type: string; read(): string | Buffer }

type Packaged = { readonly type: string; readonly from: string; readonly file: string }

/** Under the names that they are served by: files of other packages. A build copies them to `assets/`, and needs those packages no more. */
export const packagedFiles: Readonly<Record<string, Packaged>> = {
  'graphiql.min.css': { type: style, from: 'graphiql', file: 'graphiql.min.css' },
  'react.production.min.js': { type: script, from: 'react', file: 'umd/react.production.min.js' },
  'react-dom.production.min.js': { type: script, from: 'react-dom', file: 'umd/react-dom.production.min.js' },
  'graphiql.min.js': { type: script, from: 'graphiql', file: 'graphiql.min.js' },
}

function packaged(name: string): Source {
  const { type, from, file } = packagedFiles[name] as Packaged
  const copied = join(import.meta.dirname, 'assets', name)
  const original = () => join(dirname(createRequire(import.meta.url).resolve(`${from}/package.json`)), file)
  return { type, read: () => readFileSync(existsSync(copied) ? copied : original()) }
}

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
noscript { display: block; padding: 2rem; font-family: system-ui, sans-serif }
`

const sources: Readonly<Record<string, Source>> = {
  'graphiql.min.css': packaged('graphiql.min.css'),
  'page.css': { type: style, read: () => pageStyle },
  'react.production.min.js': packaged('react.production.min.js'),
  'react-dom.production.min.js': packaged('react-dom.production.min.js'),
  'graphiql.min.js': packaged('graphiql.min.js'),
  'boot.js': { type: script, read: () => boot },
}

/** The editor sets inline styles and embeds its fonts in its style sheet; scripts come from this server alone. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function elementOf(name: string, digest: string): string {
  const address = `${assetsPath}/${name}?v=${digest}`
  return name.endsWith('.css')
    ? `<link rel="stylesheet" href="${address}">`
    : `<script src="${address}" defer></script>`
}

function makePage(digests: ReadonlyMap<string, string>): string {
  const elements = [...digests].map(([name, digest]) => elementOf(name, digest)).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL</title>
<link rel="icon" href="data:,">
${elements}
</head>
<body>
<div id="graphiql"></div>
<noscript>GraphiQL needs JavaScript. The schema answers POST requests without it.</noscript>
</body>
</html>
`
}

/** Reads each file when it is first requested. A URL contains the digest of its file, so what it serves never changes. */
export function makeGraphiql(): Graphiql {
  const files = new Map<string, { bytes: Buffer; digest: string }>()

  function fileOf(name: string): { bytes: Buffer; digest: string } | undefined {
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined
    if (!source) return undefined
    const known = files.get(name)
    if (known) return known
    const bytes = Buffer.from(source.read())
    const file = { bytes, digest: createHash('sha256').update(bytes).digest('hex').slice(0, 16) }
    files.set(name, file)
    return file
  }

  return {
    page() {
      const digests = new Map(Object.keys(sources).map((name) => [name, fileOf(name)?.digest ?? '']))
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
        vary: 'Accept',
      }
      return { status: 200, headers, body: makePage(digests) }
    },
    asset(name) {
      const file = fileOf(name)
      if (!file) return undefined
      const headers = {
        'content-type': sources[name]?.type ?? '',
        'cache-control': 'public, max-age=31536000, immutable',
        etag: `"${file.digest}"`,
        'x-content-type-options': 'nosniff',
      }
      return { status: 200, headers, body: file.bytes }
    },
  }
}
