/**
 * The page `/status`: small charts by uPlot, served from our own files. The page has no data
 * itself; it loads them once an ADMIN has logged in.
 */
import type { HttpResponse } from '../http/messages/exchange.ts'
import { answerPage, policyOf } from '../http/pages/html-page.ts'
import {
  makePageFiles,
  type PageFiles,
  packagedFile,
  scriptType,
  styleType,
  writtenFile,
} from '../http/pages/page-files.ts'
import { type BarForm, barOf } from '../http/pages/page-frame.ts'
import { routesSeconds } from '../observe/status.ts'
import type { Catalog } from '../resource/catalog.ts'
import { withArticle } from '../resource/words/describe-operation.ts'
import { statusScript } from './status-script.ts'
import { statusStyle } from './status-style.ts'

export const statusFilesPath = '/status/assets'

const policy = policyOf({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': 'data:',
  'connect-src': "'self'",
})

type Chart = { readonly name: string; readonly title: string; readonly lines: readonly string[] }

const charts: readonly Chart[] = [
  { name: 'requests', title: 'A second', lines: ['requests', 'errors', 'refused'] },
  { name: 'latency', title: 'Time to answer', lines: ['half', '95 %', '99 %'] },
  { name: 'loop', title: 'Event loop, late by', lines: ['99 %'] },
  { name: 'cpu', title: 'Processor', lines: ['of one core'] },
  { name: 'memory', title: 'Memory', lines: ['in all'] },
  { name: 'work', title: 'Work', lines: ['connections', 'writes a second'] },
]

const facts = [
  ['requests', 'requests a second'],
  ['errors', 'errors a second'],
  ['p95', '95 % within'],
  ['kept', 'from memory'],
  ['database', 'database'],
  ['disk', 'free on the disk'],
  ['backup', 'since a backup'],
  ['uptime', 'since the start'],
] as const

function figureOf({ name, title, lines }: Chart): string {
  const keys = lines.map((line, i) => `<span class="key key-${i}">${line}</span>`).join(' ')
  return `<figure><figcaption>${title} ${keys}</figcaption><div class="chart" id="chart-${name}"></div></figure>`
}

function tableOf(id: string, title: string, columns: readonly string[]): string {
  const heads = columns.map((column) => `<th scope="col">${column}</th>`).join('')
  return `<section><h2>${title}</h2><div class="wide"><table><thead><tr>${heads}</tr></thead><tbody id="${id}"></tbody></table></div></section>`
}

/** `operator`: the role that may see it, with its article. */
const mainFor = (operator: string) => `<main>
<h1>Status</h1>
<noscript>This page needs JavaScript. The same is in GET /status with the token of ${operator}, and in <code>bindery top</code>.</noscript>
<i id="line"></i>
<p id="intro">What this server does at the moment, for ${operator}: log in. Programs ask <code>GET /status</code>, and at a terminal it is <code>bindery top</code>.</p>
<div id="shown" hidden>
<dl>${facts.map(([id, about]) => `<div><dt>${about}</dt><dd id="fact-${id}"></dd></div>`).join('')}</dl>
<div class="charts">${charts.map(figureOf).join('\n')}</div>
<div class="tables">
${tableOf('routes', `Where the time went in the last ${routesSeconds} s`, ['Route', 'A second', 'Errors', 'Mean', '95 %'])}
${tableOf('budgets', 'Budgets', ['Budget', 'In use', ''])}
${tableOf('store', 'Database', ['Part', ''])}
${tableOf('refusals', 'Turned away since the start', ['Limit', 'Times'])}
</div>
<p class="version">Bindery <span id="fact-version"></span></p>
</div>
</main>`

/**
 * Runs before uPlot, which passes the browser's language to `Intl` when it loads. Under
 * `LANG=C.UTF-8` Chromium has `en-US@posix`, which `Intl` refuses.
 */
const languageScript = `'use strict'
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' })
}
`

export type StatusPage = { answer(): HttpResponse; readonly files: PageFiles }

export function makeStatusPage({ roles }: Catalog, form: BarForm): StatusPage {
  const operator = withArticle(roles.operator)
  const body = `${barOf('/status', form.body)}
${mainFor(operator)}`
  const files = makePageFiles(statusFilesPath, {
    'uplot.css': packagedFile('uplot.css'),
    'status.css': writtenFile(styleType, statusStyle),
    'language.js': writtenFile(scriptType, languageScript),
    'uplot.js': packagedFile('uplot.js'),
    'status.js': writtenFile(scriptType, statusScript(operator, form.script)),
  })
  return {
    answer: () => answerPage({ title: 'Status', files: files.addresses(), body, policy }),
    files,
  }
}
