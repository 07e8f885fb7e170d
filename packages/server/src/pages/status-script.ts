/**
 * The script of the page `/status`: after the log-in it draws the server's figures, as long as the
 * page is visible.
 */

/**
 * `operator`: the role that may see it, with its article. `formScript`: the script of the form in
 * the navigation bar.
 */
export const statusScript = (operator: string, formScript: string) => `'use strict'
const everyMs = 2000
const byId = (id) => document.getElementById(id)
const number = (value) => (value > 0 && value < 0.05 ? '< 0.1' : (value >= 100 ? Math.round(value) : Math.round(value * 10) / 10).toLocaleString('en'))
const bytes = (value) => {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3))
  return number(value / 1000 ** at) + ' ' + units[at]
}
const ms = (value) => (value === null || value === undefined ? '–' : value >= 1000 ? number(value / 1000) + ' s' : number(value) + ' ms')
const time = (seconds) => {
  if (seconds === null || seconds === undefined) return 'unknown'
  const parts = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]]
  const at = parts.findIndex(([, size]) => seconds >= size)
  const [unit, size] = parts[at === -1 ? 3 : at]
  return Math.floor(seconds / size) + ' ' + unit
}

const charts = {
  requests: { print: number, lines: ['requests', 'errors', 'refused'] },
  latency: { print: ms, lines: ['p50', 'p95', 'p99'] },
  loop: { print: ms, lines: ['loop'] },
  cpu: { print: (value) => number(value * 100) + ' %', lines: ['cpu'] },
  memory: { print: bytes, lines: ['memory'] },
  work: { print: number, lines: ['connections', 'writes'] },
}
const drawn = new Map()
let series = []

function dataOf({ lines }) {
  const at = series.map((point) => Date.parse(point.at) / 1000)
  return [at, ...lines.map((name) => series.map((point) => point[name]))]
}

function colourOf(element) {
  return getComputedStyle(element).color
}

function sizeOf(place) {
  return { width: Math.max(200, place.clientWidth), height: 150 }
}

function draw(name) {
  const place = byId('chart-' + name)
  const chart = charts[name]
  drawn.get(name)?.destroy()
  const quiet = colourOf(place.parentElement.querySelector('figcaption'))
  const grid = { stroke: colourOf(byId('line')), width: 1 }
  const axis = { stroke: quiet, grid, ticks: { show: false }, font: '11px system-ui, sans-serif' }
  const plot = new uPlot(
    {
      ...sizeOf(place),
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_, least, most) => [0, Math.max(most ?? 0, 1e-9) * 1.1] } },
      axes: [
        { ...axis, size: 28, space: 70, values: (_, values) => values.map((at) => new Date(at * 1000).toLocaleTimeString('en-GB')) },
        { ...axis, size: 62, space: 32, values: (_, values) => values.map(chart.print) },
      ],
      series: [
        {},
        ...chart.lines.map((line, i) => ({
          stroke: colourOf(place.parentElement.querySelectorAll('.key')[i]),
          width: 1.5,
          points: { show: false },
          spanGaps: true,
        })),
      ],
    },
    dataOf(chart),
    place,
  )
  drawn.set(name, plot)
}

function drawAll() {
  for (const name of Object.keys(charts)) draw(name)
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawn.size > 0 && drawAll())
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) drawn.get(target.id.slice('chart-'.length))?.setSize(sizeOf(target))
})
for (const name of Object.keys(charts)) resized.observe(byId('chart-' + name))

function fill(id, rows) {
  byId(id).replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement('tr')
      row.append(
        ...cells.map((cell) => {
          const element = document.createElement('td')
          element.append(cell)
          return element
        }),
      )
      return row
    }),
  )
}

function meterOf({ used, limit }) {
  const element = document.createElement('meter')
  Object.assign(element, { min: 0, max: limit, low: limit * 0.6, high: limit * 0.85, optimum: 0, value: used })
  element.setAttribute('aria-label', 'used')
  return element
}

const sizes = new Set(['request-bodies', 'unread-answers'])

function show(status) {
  const { now, database, kept } = status
  const asked = (kept.found ?? 0) + (kept.renewed ?? 0) + (kept.missed ?? 0)
  const facts = {
    requests: now ? number(now.requests) : '…',
    errors: now ? number(now.errors) : '…',
    p95: now ? ms(now.p95) : '…',
    kept: asked > 0 ? number((100 * (kept.found + kept.renewed)) / asked) + ' %' : '–',
    database: bytes(Object.values(database.bytes).reduce((sum, size) => sum + size, 0)),
    disk: status.diskFreeBytes === null ? '–' : bytes(status.diskFreeBytes),
    backup: time(status.backupAgeSeconds),
    uptime: time(status.uptimeSeconds),
    version: status.version + ' on Node ' + status.node + (status.workers > 1 ? ', ' + status.workers + ' workers' : ''),
  }
  for (const [name, text] of Object.entries(facts)) byId('fact-' + name).textContent = text
  fill('routes', status.routes.map((one) => [one.method + ' ' + (one.route === 'none' ? 'an unknown path' : one.route), number(one.requests), number(one.errors), ms(one.mean), ms(one.p95)]))
  fill('budgets', status.budgets.map((one) => {
    const print = sizes.has(one.name) ? bytes : number
    return [one.name, print(one.used) + ' of ' + print(one.limit), meterOf(one)]
  }))
  fill('store', [
    ...Object.entries(database.bytes).map(([part, size]) => [part === 'data' ? 'data' : 'its ' + part, bytes(size)]),
    ...Object.entries(database.pool).map(([state, count]) => ['connections ' + (state === 'waiting' ? 'waited for' : state), number(count)]),
    ...(database.lagSeconds === null ? [] : [['changes of others are known within', ms(database.lagSeconds * 1000)]]),
    ['slow statements since the start', number(database.slowStatements)],
  ])
  const refused = Object.entries(status.refusals).filter(([, count]) => count > 0)
  fill('refusals', [...refused.map(([name, count]) => [name, number(count)]), ['log-in failures', number(status.logInFailures)], ...(status.mailsWaiting ? [['mails that wait', number(status.mailsWaiting)]] : [])])
  series = status.series
  if (drawn.size === 0) drawAll()
  else for (const [name, plot] of drawn) plot.setData(dataOf(charts[name]))
}

let token
let timer
let refreshedMs = 0

${formScript}
const logIn = makeLogIn({
  async entered(given) {
    token = given
    refreshedMs = Date.now()
    await look()
  },
  left() {
    clearTimeout(timer)
    token = undefined
    byId('intro').hidden = false
    byId('shown').hidden = true
    for (const plot of drawn.values()) plot.destroy()
    drawn.clear()
  },
})

let isSilent = false
async function look() {
  clearTimeout(timer)
  try {
    if (Date.now() - refreshedMs > 10 * 60 * 1000) {
      token = await logIn.refresh()
      refreshedMs = Date.now()
    }
    const answer = await fetch('/status', { headers: { accept: 'application/json', authorization: 'Bearer ' + token } })
    const value = await answer.json()
    if (answer.status === 401) return logIn.leave(value.error)
    if (answer.status === 403) return logIn.leave('Only ${operator} may see this')
    if (!answer.ok) throw new Error(value.error)
    byId('intro').hidden = true
    byId('shown').hidden = false
    show(value)
    // Recovery codes that the log-in shows stay visible.
    if (isSilent) logIn.say('')
    isSilent = false
  } catch (error) {
    isSilent = true
    logIn.say('The server did not answer: ' + error.message)
  }
  if (token && document.visibilityState === 'visible') timer = setTimeout(look, everyMs)
}
document.addEventListener('visibilitychange', () => {
  if (token && document.visibilityState === 'visible') look()
})
`
